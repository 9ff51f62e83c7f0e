//! The contract as TypeScript: `src/ipc/generated.ts` is this text, and a test proves it fresh.
//!
//! Whatever the rows of the contract name is declared, and whatever those types depend on, wherever it is defined.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use ts_rs::{Config, TS, TypeVisitor};

use crate::contract::{rows, visit_types};
use crate::types::WireError;

/// Declarations by name. Two different ones of a name are both kept, and TypeScript refuses them.
struct Declarations<'c> {
    config: &'c Config,
    seen: HashSet<TypeId>,
    found: BTreeMap<String, BTreeSet<String>>,
}

impl TypeVisitor for Declarations<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Numbers, texts and lists have no declaration of their own.
        if T::output_path().is_some() {
            self.found.entry(T::ident(self.config)).or_default().insert(T::decl(self.config));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// The whole generated file.
#[must_use]
pub fn generate() -> String {
    let config = Config::default().with_large_int("number");
    let mut declarations = Declarations { config: &config, seen: HashSet::new(), found: BTreeMap::new() };
    visit_types(&mut declarations);
    declarations.visit::<WireError>();
    let mut text = String::from("// Made from src-tauri/wire by `npm run bless`. Do not edit.\n");
    for declaration in declarations.found.values().flatten() {
        text.push_str("\nexport ");
        text.push_str(declaration);
        text.push('\n');
    }
    text.push_str("\n/** Every call: what it takes, what it reports meanwhile, what it gives back. */\n");
    text.push_str("export interface Contract {\n");
    for row in rows(&config) {
        text.push_str("  ");
        text.push_str(&row);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}
