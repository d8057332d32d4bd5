//! In a browser, whose compiler is stricter than naga: uniform control flow, and parentheses. `NONIUS_BROWSER` names a Chromium.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use naga::valid::Capabilities;
use nonius::device::precision::{Product, Version};
use serde_json::Value;

use crate::rows::{Row, report, rows};
use crate::variants::samples;

/// For all texts, on two cores with others at work on them.
const PATIENCE: Duration = Duration::from_secs(600);

/// Compiles every text that the server has, and sends back what is wrong with each.
const PAGE: &str = "<script>
(async () => {
    const send = (found) => fetch('/found', { method: 'POST', body: JSON.stringify(found) });
    try {
        const adapter = await navigator.gpu.requestAdapter();
        const subgroups = adapter.features.has('subgroups');
        const device = await adapter.requestDevice({ requiredFeatures: subgroups ? ['subgroups'] : [] });
        const errors = [];
        for (const text of await (await fetch('/texts')).json()) {
            device.pushErrorScope('validation');
            const information = await device.createShaderModule({ code: text }).getCompilationInfo();
            const error = await device.popErrorScope();
            const first = information.messages.find((message) => message.type == 'error');
            errors.push(error && [first?.lineNum ?? 0, first?.message ?? error.message]);
        }
        await send({ subgroups, errors });
    } catch (error) {
        await send({ failed: String(error) });
    }
})();
</script>";

#[test]
fn every_kernel_is_valid_in_a_browser() {
    let Some(browser) = std::env::var_os("NONIUS_BROWSER") else {
        println!("not tested: NONIUS_BROWSER names no browser");
        return;
    };
    let rows = in_browsers();
    let texts: Vec<String> = rows.iter().map(|row| row.kernel.for_browsers(&row.composed)).collect();
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    let found = serve(listener, serde_json::to_string(&texts).expect("texts are text"));
    let profile = std::env::temp_dir().join(format!("nonius-browser-{}", std::process::id()));
    let child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--enable-unsafe-webgpu",
            "--use-webgpu-adapter=swiftshader",
            "--enable-features=Vulkan",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("http://{address}/"))
        .spawn()
        .expect("the browser starts");
    let found = {
        let _ended = Ended(child);
        found.recv_timeout(PATIENCE)
    };
    let _ = std::fs::remove_dir_all(profile);
    let found: Value = serde_json::from_str(&found.expect("the browser answers")).expect("it answers in JSON");
    assert_eq!(found["failed"], Value::Null, "the browser has no WebGPU");
    let errors = found["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), rows.len());
    let has_subgroups = found["subgroups"] == true;
    if !has_subgroups {
        println!("not tested: kernels with subgroups, which this browser has not");
    }
    let tested = rows
        .iter()
        .zip(errors)
        .filter(|(row, _)| has_subgroups || !row.kernel.uses_subgroups());
    let failed = tested.filter(|(_, error)| !error.is_null()).map(|(row, error)| {
        let line = error[0]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok())
            .unwrap_or(0);
        let (path, line) = row.composed.origin(line);
        format!("{}: shaders/{path}:{line}: {}", row.name(), error[1])
    });
    report(&failed.collect::<Vec<_>>());
}

/// What browsers can run, with the defaults of its constants and as a tuner may choose them, each text once. Branches by the product are compiled whichever is chosen, so that one stands for all.
fn in_browsers() -> Vec<Row> {
    let native = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    let mut seen = BTreeSet::new();
    let rows = rows().into_iter().chain(samples()).filter(|row| {
        let product = row.version == Version::PLAIN || row.version.product == Product::Mask;
        product && !row.capabilities().intersects(native)
    });
    rows.filter(|row| seen.insert(row.composed.text.clone())).collect()
}

/// A browser that is ended when it is let go, whatever happens.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the page and the texts; what the page sends back.
fn serve(listener: TcpListener, texts: String) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Ok(Some(found)) = answer(stream, &texts) {
                let _ = sender.send(found);
            }
        }
    });
    receiver
}

/// One request; the body of what is posted.
fn answer(stream: TcpStream, texts: &str) -> std::io::Result<Option<String>> {
    let mut reader = BufReader::new(&stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        let lower = header.to_ascii_lowercase();
        if let Some(bytes) = lower.strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (kind, content) = match request.split(' ').nth(1) {
        Some("/") => ("text/html", PAGE),
        Some("/texts") => ("application/json", texts),
        _ => ("text/plain", ""),
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        content.len()
    );
    (&stream).write_all(head.as_bytes())?;
    (&stream).write_all(content.as_bytes())?;
    Ok(request
        .starts_with("POST")
        .then(|| String::from_utf8_lossy(&body).into_owned()))
}
