//! The lifecycle policy of Elasticsearch.

use serde_json::{Value, json};

use super::Lifetime;

pub fn policy(lifetime: Lifetime) -> Value {
    let Lifetime { hot_days, warm_days, keep_days } = lifetime;
    let mut phases = json!({
        "hot": {"min_age": "0ms", "actions": {
            "set_priority": {"priority": 100},
            "rollover": {"max_primary_shard_size": "50gb", "max_age": format!("{}d", hot_days.max(1))},
        }},
        // Ages count from the rollover.
        "delete": {"min_age": format!("{}d", keep_days.saturating_sub(hot_days).max(1)), "actions": {"delete": {}}},
    });
    if warm_days > 0 {
        phases["warm"] = json!({"min_age": "0d", "actions": {
            "set_priority": {"priority": 50},
            "readonly": {},
            "forcemerge": {"max_num_segments": 1},
        }});
        if hot_days + warm_days < keep_days {
            phases["cold"] =
                json!({"min_age": format!("{warm_days}d"), "actions": {"set_priority": {"priority": 0}}});
        }
    }
    json!({"policy": {
        "_meta": {"made_by": "timberline configs", "tested": "no: this policy was not run"},
        "phases": phases,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_one_another_and_end_with_deletion() {
        let policy = policy(Lifetime { hot_days: 3, warm_days: 7, keep_days: 30 });
        let phases = &policy["policy"]["phases"];
        assert_eq!(phases["hot"]["actions"]["rollover"]["max_age"], "3d");
        assert_eq!((&phases["warm"]["min_age"], &phases["cold"]["min_age"]), (&json!("0d"), &json!("7d")));
        assert_eq!(phases["delete"]["min_age"], "27d");
        let hot_only = super::policy(Lifetime { hot_days: 7, warm_days: 0, keep_days: 7 });
        assert!(hot_only["policy"]["phases"].get("warm").is_none());
        assert_eq!(hot_only["policy"]["phases"]["delete"]["min_age"], "1d");
    }
}
