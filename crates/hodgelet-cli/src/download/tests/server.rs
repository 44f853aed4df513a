//! A tiny HTTP server on loopback that answers as told, one request per connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What a client asked for; header names in lower case.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// First byte asked for.
    pub fn range_start(&self) -> Option<usize> {
        self.header("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Close the connection after so many bytes of the body, whatever was announced.
    pub cut: Option<usize>,
    /// Send the body again and again, without a length, until the client hangs up.
    pub endless: bool,
}

impl Reply {
    pub fn new(status: u16, body: &[u8]) -> Self {
        Self { status, headers: Vec::new(), body: body.to_vec(), cut: None, endless: false }
    }

    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn endless(mut self) -> Self {
        self.endless = true;
        self
    }

    pub fn cut(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }

    /// The file, or the rest of it where the range and its condition allow.
    pub fn ranged(request: &Request, file: &[u8], tag: &str) -> Self {
        match request.range_start() {
            Some(start) if request.header("if-range") == Some(tag) => {
                let range = format!("bytes {start}-{}/{}", file.len() - 1, file.len());
                Self::new(206, &file[start..]).header("Content-Range", range).header("ETag", tag)
            }
            _ => Self::new(200, file).header("ETag", tag),
        }
    }
}

/// The server; it stops when dropped.
pub struct Server {
    address: String,
    stop: Arc<AtomicBool>,
    log: Arc<Mutex<Vec<Request>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server whose `answer` sees each request and the number of those before it for the same path.
    pub fn start(answer: impl Fn(&Request, usize) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, log) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (seen_stop, seen_log) = (Arc::clone(&stop), Arc::clone(&log));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if seen_stop.load(Ordering::SeqCst) {
                    return;
                }
                // A client that hangs up early is part of the tests.
                let _ = stream.and_then(|stream| serve(stream, &answer, &seen_log));
            }
        });
        Self { address, stop, log, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}/sets", self.address)
    }

    /// The requests for an archive so far, without those for checksums.
    pub fn requests(&self) -> Vec<Request> {
        let log = self.log.lock().unwrap();
        log.iter().filter(|request| request.path.ends_with(".zip")).cloned().collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    mut stream: TcpStream,
    answer: &impl Fn(&Request, usize) -> Reply,
    log: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or("").to_owned();
    let mut headers = Vec::new();
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            Some((name, value)) => headers.push((name.to_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let request = Request { path, headers };
    let before = {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        log.iter().filter(|other| other.path == request.path).count() - 1
    };
    let reply = answer(&request, before);
    write!(stream, "HTTP/1.1 {} Status\r\nConnection: close\r\n", reply.status)?;
    if !reply.endless {
        write!(stream, "Content-Length: {}\r\n", reply.body.len())?;
    }
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n")?;
    if reply.endless {
        loop {
            stream.write_all(&reply.body)?;
        }
    }
    stream.write_all(&reply.body[..reply.cut.unwrap_or(reply.body.len()).min(reply.body.len())])
}
