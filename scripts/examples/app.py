"""The telephone menu of app.ts in Python 3: the standard library alone."""
import hashlib, hmac, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "whsec_example_0123456789").encode()

def answer(page, here, event):
    if event.get("reason") == "hangup":
        return []
    if page == "/message":
        return [{"say": {"text": "Thank you. Goodbye."}}, {"hangup": {}}]
    if event.get("digits") == "1":
        return [{"say": {"text": "We are open from nine to five."}}, {"redirect": {"url": here + "/voice"}}]
    if event.get("digits") == "2":
        return [{"say": {"text": "Please speak after the tone."}}, {"record": {"maxSeconds": 60, "actionUrl": here + "/message"}}]
    return [{"say": {"text": "For our opening hours, press 1. To leave a message, press 2."}},
            {"gather": {"numDigits": 1, "actionUrl": here + "/choice"}}]

class Application(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        stamp, given = self.headers.get("X-Service-Timestamp", ""), self.headers.get("X-Service-Signature", "")
        expected = "sha256=" + hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        genuine = hmac.compare_digest(expected.encode(), given.encode())
        reply = answer(self.path.split("?")[0], "http://" + self.headers["Host"], json.loads(body)) if genuine else {"error": "wrong signature"}
        text = json.dumps(reply).encode()
        self.send_response(200 if genuine else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Application).serve_forever()
