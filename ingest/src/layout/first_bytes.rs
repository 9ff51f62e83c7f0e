//! The bytes with which a layout may begin.

use super::LayoutStep;

/// A set of bytes; the last entry is the end of the line.
pub(super) struct FirstBytes([bool; 257]);

impl FirstBytes {
    const END: usize = 256;

    pub(super) fn from_steps(steps: &[LayoutStep]) -> FirstBytes {
        let mut firsts = FirstBytes([false; 257]);
        if !firsts.add(steps) {
            firsts.0 = [true; 257];
        }
        firsts
    }

    /// Adds the bytes with which the steps may begin. Returns whether one of them is mandatory.
    fn add(&mut self, steps: &[LayoutStep]) -> bool {
        for step in steps {
            match step {
                LayoutStep::Text(text) => {
                    self.0[text.first().map_or(FirstBytes::END, |&first| usize::from(first))] = true;
                    return !text.is_empty();
                }
                LayoutStep::Space => {
                    self.0[usize::from(b' ')] = true;
                    self.0[usize::from(b'\t')] = true;
                    return true;
                }
                LayoutStep::Optional(inner) => {
                    if !self.add(inner) {
                        return false;
                    }
                }
                LayoutStep::Value(..)
                | LayoutStep::Endpoint(..)
                | LayoutStep::Time
                | LayoutStep::When
                | LayoutStep::Level => return false,
            }
        }
        false
    }

    #[inline]
    pub(super) fn contains(&self, first: Option<&u8>) -> bool {
        self.0[first.map_or(FirstBytes::END, |&first| usize::from(first))]
    }
}

#[cfg(test)]
mod tests {
    use super::super::LineLayouts;

    #[test]
    fn first_bytes_include_those_after_an_optional_part() {
        let firsts = |layout: &'static str| {
            let layouts = LineLayouts::new("", &[layout]);
            let all = (0..=255_u8).filter(|byte| layouts.firsts[0].contains(Some(byte)));
            (all.map(char::from).collect::<String>(), layouts.firsts[0].contains(None))
        };
        assert_eq!(firsts("from {a}"), ("f".to_string(), false));
        assert_eq!(firsts("«error: »«fatal: »PAM: {a}"), ("Pef".to_string(), false));
        assert_eq!(firsts("« »[{a}]"), ("\t [".to_string(), false));
        assert!(firsts("«error: »«x»").1);
        assert_eq!(firsts("«error: »{a} x").0.chars().count(), 256);
        assert_eq!(firsts("«{a} »x").0.chars().count(), 256);
    }
}
