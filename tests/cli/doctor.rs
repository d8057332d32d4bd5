//! `nonius doctor`.

use crate::{command, json, text};

#[test]
fn doctor_examines_every_device() {
    let run = |arguments: &[&str]| command(arguments).output().expect("it runs");
    let object = json(&run(&["doctor", "--json"]));
    let devices = object["devices"].as_array().expect("a list");
    let human = run(&["doctor"]);
    assert!(human.status.success(), "{human:?}");
    let human = text(&human.stdout);
    assert_eq!(devices.last().expect("the host")["name"], "host");
    assert!(human.contains("host"), "{human}");
    for device in devices {
        let name = device["name"].as_str().expect("a name");
        assert!(human.contains(name), "{name} is not in:\n{human}");
        if name == "host" || device.get("error").is_some() {
            continue;
        }
        let single = &device["operations"]["f32"]["ulps"];
        let ranges = single.as_object().expect("of f32 at least");
        assert!(!ranges.is_empty(), "{device}");
        for (operation, range) in ranges {
            let (low, high) = (range[0].as_f64(), range[1].as_f64());
            assert!(
                low.zip(high).is_some_and(|(low, high)| low <= high),
                "{operation}: {range}"
            );
        }
        assert!(
            device["error_free_transforms"]
                .as_array()
                .is_some_and(|trials| !trials.is_empty())
        );
        for scalar in ["f32", "df64", "f64", "dd"] {
            let choice = &device["scalars"][scalar];
            assert!(
                choice["words"].is_string() || choice["refused"].is_string(),
                "{scalar}: {device}"
            );
        }
        for word in ["two_sum", "units in the last place", "scalars (self-test", "limits"] {
            assert!(human.contains(word), "{word:?} is not in:\n{human}");
        }
    }
}
