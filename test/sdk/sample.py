"""The application of test/sdk/samples.ts in Python, in the server that the first argument names; the second is its port."""
import sys

import pbxd
from pbxd import chosen, gather, menu, record, redirect, say

CHOICES = {"hours": ["1", "opening hours"], "message": ["2", "leave a message", "message"]}
app = pbxd.Application(secret="whsec_test_0123456789abcdef")
runs = 0


@app.on("call.inbound.pre_route")
def inbound(event):
    return menu("For our opening hours, press 1. To leave a message, press 2.", CHOICES)


@app.on("gather.completed")
def choice(event):
    global runs
    runs += 1
    match chosen(event, CHOICES):
        case "hours":
            return [say("We are open from nine to five."), redirect("/again")]
        case "message":
            return [say("After the tone, please."), record(max_seconds=60, action_url="/message")]
    return say("Sorry.")


@app.on("call.ended")
def ended(event):
    print(event["endReason"] if "endReason" in event else "", runs, flush=True)


@app.on("call.redirected", "/again")
async def again(event):
    return [say("Again."), gather(action_url="https://other.example/x")]


@app.on("record.completed", "/message")
def message(event):
    raise OSError("the disk is full")


server, port = sys.argv[1], int(sys.argv[2])
if server == "flask":
    import flask
    from pbxd.adapters import blueprint

    web = flask.Flask("sample")
    web.register_blueprint(blueprint(app), url_prefix="/telephone")
    web.run(port=port)
elif server == "fastapi":
    import fastapi
    import uvicorn
    from pbxd.adapters import router

    web = fastapi.FastAPI()
    web.include_router(router(app), prefix="/telephone")
    uvicorn.run(web, port=port, log_level="warning")
else:
    app.serve(port)
