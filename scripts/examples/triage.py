"""
After hours: a caller says how urgent it is; urgent calls go to the doctor on call, then to the next of the rota, and nobody is lost: the last
way is a message, which is mailed to the practice with its words.

    SECRET=... TOKEN=... PBX=http://127.0.0.1:8080 ROTA=rota.json PYTHONPATH=scripts/sdk/python python3 scripts/examples/triage.py

rota.json lists weeks by their Monday: {"2026-11-23": ["+15551230001", "+15551230002"], "default": ["+15551230003"]}. The endpoint needs
`destinations` for nothing, and a class of service that lets `forward` reach these numbers.
"""
import datetime
import json
import os
import pathlib
import sys
import threading

from pbxd import Application, Box, BoxError, chosen, forward, menu, record, say

ROTA = pathlib.Path(os.environ.get("ROTA", "rota.json"))
MAIL = os.environ.get("MAIL", "practice@example.com")
URGENT = {"urgent": ["1", "urgent", "emergency"], "message": ["2", "message", "not urgent"]}

app = Application(secret=os.environ.get("SECRET", "whsec_example_0123456789"))
box = Box(os.environ.get("PBX", "http://127.0.0.1:8080"), os.environ.get("TOKEN", ""))
# How many doctors a call has tried. A program that starts again begins with the first doctor: no call is lost by that.
tried: dict[str, int] = {}


def on_call(today: datetime.date) -> list[str]:
    """Numbers of this week, the first one first. The file is read for each call: a swap counts at once."""
    rota = json.loads(ROTA.read_text())
    monday = today - datetime.timedelta(days=today.weekday())
    return rota.get(monday.isoformat(), rota["default"])


def take_message(why: str):
    return [say(f"{why} Please say your name, your number and what has happened, then press hash."),
            record(max_seconds=180, transcribe=True, silence_timeout=8, action_url="/message")]


def next_doctor(call_id: str):
    numbers = on_call(datetime.date.today())
    at = tried.get(call_id, 0)
    tried[call_id] = at + 1
    if at >= len(numbers):
        return take_message("Nobody can take your call at this moment.")
    words = "I connect you with the doctor on call." if at == 0 else "I try the next doctor."
    # The doctor hears why the phone rings before the caller is connected.
    return [say(words), forward(numbers[at], timeout=25, action_url="/after", announce="An urgent call for the practice.")]


def question():
    return menu("The practice is closed. If this is life threatening, hang up and dial 9 1 1. For the doctor on call, press 1 or say urgent. "
                "To leave a message for the morning, press 2 or say message.", URGENT)


@app.on("call.inbound.pre_route")
def inbound(event):
    return question()


@app.on("gather.completed")
def urgency(event):
    choice = chosen(event, URGENT)
    if choice == "message":
        return take_message("")
    # A caller who says nothing that is understood may be unable to: that is urgent. One who was silent is asked once more.
    if choice is None and event["reason"] == "timeout" and event["callId"] not in tried:
        tried[event["callId"]] = 0
        return question()
    return next_doctor(event["callId"])


@app.on("forward.completed", "/after")
def after(event):
    if event["dialStatus"] == "answered":
        tried.pop(event["callId"], None)
        return []
    return next_doctor(event["callId"])


@app.on("record.completed", "/message")
def message(event):
    tried.pop(event["callId"], None)
    if event["reason"] != "timeout":
        # The caller waits for an answer; the mail server may be slow.
        threading.Thread(target=mail, args=(event,)).start()
    return say("Thank you. We read your message first thing in the morning. Goodbye.")


def mail(event):
    text = (f"{event['callerName'] or 'A caller'} ({event['from']}) left {event['durationMs'] // 1000} s at {event['timestamp']}.\n\n"
            f"{event['transcript'] or 'There is no transcript.'}\n\n{event['mediaUrl']}")
    try:
        # The event id is the key: a message that is reported twice is mailed once.
        box.send_email({"to": MAIL, "subject": f"Message of {event['from']}", "text": text}, idempotency_key=event["eventId"])
        print(f"mailed {event['recordingId']}", flush=True)
    except BoxError as error:
        print(f"{event['recordingId']} was not mailed: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    app.serve(int(os.environ.get("PORT", "3000")))
