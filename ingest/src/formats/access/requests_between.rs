//! The output of a server whose error log and access log are one stream.

use crate::formats::{Fit, Reader, Setup};
use crate::inner_reader::InnerReader;
use crate::parser::Parser;
use crate::rows::Rows;

/// Reads errors with their own reader, and the requests between them.
struct ErrorsAndRequests<R> {
    errors: R,
    requests: InnerReader,
}

pub(crate) fn with_requests(errors: impl Reader + 'static, setup: &Setup) -> Box<dyn Reader> {
    let requests = InnerReader::new(&Parser::new(&super::FORMAT, Setup::new(setup.zone.clone())));
    Box::new(ErrorsAndRequests { errors, requests })
}

impl<R: Reader> Reader for ErrorsAndRequests<R> {
    fn read(&mut self, event: &[u8], rows: &mut Rows) -> Result<Fit, &'static str> {
        if super::is_request(event) {
            self.requests.read(event, 0, rows)
        } else {
            self.errors.read(event, rows)
        }
    }
}
