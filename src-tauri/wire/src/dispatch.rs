//! A command is answered: by a cluster, by several places together, or by a case; and the end of all calls.

use indexer::Cancel;

use crate::both::answer_together;
use crate::contract::{Command, answer};
use crate::remote_answers::remote_answer;
use crate::remotes::OpenRemotes;
use crate::session::{Call, Session};
use crate::types::WireError;

/// Whether a call continues when nobody waits for it any longer.
fn outlives(command: &Command) -> bool {
    use Command::{Adjust, Attend, Import, Paste, Reread};
    matches!(command, Import(_) | Paste(_) | Adjust(_) | Reread(_) | Attend(_))
}

fn answered(session: &Session, call: &Call<'_>, command: Command) -> Result<serde_json::Value, WireError> {
    let elsewhere =
        remote_answer(session, call, &command).or_else(|| answer_together(session, call, &command));
    elsewhere.unwrap_or_else(|| answer(session, call, command))
}

impl Session {
    /// Answers a command. Blocks until the reply is complete; progress comes through the callback on this
    /// thread. The id names the call for `cancel` and is free again when this returns.
    pub fn dispatch(
        &self,
        id: &str,
        command: Command,
        progress: impl Fn(serde_json::Value),
    ) -> Result<serde_json::Value, WireError> {
        let call = Call::new(Cancel::default(), &progress);
        self.begin(id, &call, outlives(&command));
        let answer = answered(self, &call, command);
        self.end(id);
        answer
    }

    /// Answers a command for a caller that stops it in its own way, and shows no progress.
    pub fn ask(&self, command: Command, cancel: &Cancel) -> Result<serde_json::Value, WireError> {
        let silent = |_: serde_json::Value| {};
        answered(self, &Call::new(cancel.clone(), &silent), command)
    }

    /// Ends what runs in the background, before the program ends: running calls are cancelled, and everything that
    /// was received becomes events. What cannot become events now is in the case's log, and does at the next start.
    pub fn finish(&self) {
        self.cancel_all();
        self.stop_works();
        self.finish_receiving();
        self.part::<OpenRemotes>().close();
    }
}
