//! Words and numbers for people.

use std::path::Path;

use nonius::device::Adapter;

/// `llvmpipe (software adapter, vulkan, Mesa 22.3.6)`.
pub(crate) fn adapter(adapter: &Adapter) -> String {
    if adapter.backend == "host" {
        return "host (no GPU: loops of this process)".to_owned();
    }
    let driver = if adapter.driver.is_empty() {
        String::new()
    } else {
        format!(", {}", adapter.driver)
    };
    format!("{} ({}, {}{driver})", adapter.name, adapter.kind, adapter.backend)
}

/// `1.2 ms`, `3.45 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// `1,234,567`.
pub(crate) fn count(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A path in JSON, whose strings are Unicode: what is none of it in a name becomes U+FFFD, as it does on the terminal.
pub(crate) fn path(path: &Path) -> serde_json::Value {
    path.display().to_string().into()
}

/// A JSON number; null where there is none, since JSON has no NaN.
pub(crate) fn number(value: f64) -> serde_json::Value {
    serde_json::Number::from_f64(value).map_or(serde_json::Value::Null, serde_json::Value::Number)
}
