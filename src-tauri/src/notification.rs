//! Notifications of the desktop.

use notify_rust::Notification;

/// The longest text that is shown: desktops cut it somewhere.
const LONGEST: usize = 240;

/// Shows a notification of this program. On Linux the desktop's notification service is asked over D-Bus, which may take
/// its time, so nothing waits for it. Where there is none, the task bar alone says that something has happened.
pub fn show(title: String, text: String) {
    std::thread::spawn(move || {
        // A failure could only be shown by a notification.
        let _ = notification(&title, &text).show();
    });
}

fn notification(title: &str, text: &str) -> Notification {
    let mut made = Notification::new();
    made.appname("Timberline").summary(&plain(title)).body(&unmarked(&plain(text)));
    made
}

fn plain(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}

/// A text that is no markup, which desktops on D-Bus read in the body of notifications: it may come from a log.
fn unmarked(text: &str) -> String {
    if cfg!(any(windows, target_os = "macos")) {
        return text.to_owned();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_logs_is_no_markup() {
        let made = notification("a & b", "host <b>web</b>\u{1b}[1m & more");
        let expected = if cfg!(any(windows, target_os = "macos")) {
            "host <b>web</b>[1m & more"
        } else {
            "host &lt;b&gt;web&lt;/b&gt;[1m &amp; more"
        };
        assert_eq!((&*made.summary, &*made.body), ("a & b", expected));
        assert_eq!(plain(&"x".repeat(1_000)).len(), LONGEST);
    }
}
