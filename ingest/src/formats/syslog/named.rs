//! BIND: queries of clients, and refusals.

use std::sync::LazyLock;

use super::programs::Program;
use crate::layout::LineLayouts;

pub(super) static NAMED: Program = Program { apps: &["named"], from: b"client ", layouts: &NAMED_LAYOUTS };

static NAMED_LAYOUTS: LazyLock<LineLayouts> = LazyLock::new(|| {
    LineLayouts::new(
        "",
        &[
            "client «@{:word} »{client_ip+client_port:endpoint}« ({})»:« view {view}:» query: {query} \
             {class} {type} {flags:word}« ({server_ip})»",
            "client «@{:word} »{client_ip+client_port:endpoint}« ({})»:« view {view}:» {operation:words} \
             '{query}/{type}/{class}' {action:rest}",
            "client «@{:word} »{client_ip+client_port:endpoint}« ({query})»:« view {view}:» {action:rest}",
        ],
    )
});
