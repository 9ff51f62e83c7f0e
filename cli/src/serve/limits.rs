//! Every bound of the workbench's server, each with the reason for its value.

use std::time::Duration;

/// Connections at once. A browser opens six, whatever the number of its tabs.
pub const CONNECTIONS: usize = 256;

/// The head of a request arrives within this, and an idle connection is closed after it.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// The longest call: text that is pasted into a case. Files are sent as uploads.
pub const CALL_BYTES: usize = 64 << 20;

/// A call's body arrives within this; it comes from this machine.
pub const CALL_TIME: Duration = Duration::from_secs(30);

/// The next bytes of an upload arrive within this.
pub const UPLOAD_PAUSE: Duration = Duration::from_mins(1);

/// Calls that run at one time, each on a thread.
pub const CALLS: usize = 32;

/// Calls that run or wait, each on a connection. The other connections are for calls that are over at once, for pages and
/// for uploads.
pub const CALLS_WAITING: usize = 96;
