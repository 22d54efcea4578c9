"""The verbs of a control document. Written by `npm run generate` from the schemas of the box."""
from typing import Any, Literal, NotRequired, TypedDict, Union, cast

SayOptions = TypedDict("SayOptions", {"text": "str", "voice": "NotRequired[str]", "language": "NotRequired[str]", "loop": "NotRequired[int]", "rate": "NotRequired[float]"})
SayVerb = TypedDict("SayVerb", {"say": SayOptions})
PlayOptions = TypedDict("PlayOptions", {"prompt": "NotRequired[str]", "url": "NotRequired[str]", "loop": "NotRequired[int]"})
PlayVerb = TypedDict("PlayVerb", {"play": PlayOptions})
PauseOptions = TypedDict("PauseOptions", {"seconds": "NotRequired[float]"})
PauseVerb = TypedDict("PauseVerb", {"pause": PauseOptions})
GatherOptions = TypedDict("GatherOptions", {"input": "NotRequired[Union[Literal['dtmf'], Literal['speech'], Literal['dtmf speech'], Literal['speech dtmf']]]", "numDigits": "NotRequired[int]", "minDigits": "NotRequired[int]", "maxDigits": "NotRequired[int]", "finishOnKey": "NotRequired[str]", "timeout": "NotRequired[float]", "interDigitTimeout": "NotRequired[float]", "speechTimeout": "NotRequired[float]", "endSilence": "NotRequired[float]", "hints": "NotRequired[list[str]]", "language": "NotRequired[str]", "bargeIn": "NotRequired[Union[Literal['any'], Literal['dtmf'], Literal['speech'], Literal['none'], bool]]", "typeAhead": "NotRequired[bool]", "partialUrl": "NotRequired[str]", "sensitive": "NotRequired[bool]", "actionUrl": "NotRequired[str]"})
GatherVerb = TypedDict("GatherVerb", {"gather": GatherOptions})
RecordOptions = TypedDict("RecordOptions", {"maxSeconds": "NotRequired[float]", "finishOnKey": "NotRequired[str]", "transcribe": "NotRequired[bool]", "playBeep": "NotRequired[bool]", "silenceTimeout": "NotRequired[float]", "initialTimeout": "NotRequired[float]", "language": "NotRequired[str]", "hints": "NotRequired[list[str]]", "sensitive": "NotRequired[bool]", "actionUrl": "NotRequired[str]"})
RecordVerb = TypedDict("RecordVerb", {"record": RecordOptions})
RedirectOptions = TypedDict("RedirectOptions", {"url": "str"})
RedirectVerb = TypedDict("RedirectVerb", {"redirect": RedirectOptions})
RouteOptions = TypedDict("RouteOptions", {"to": "str", "timeout": "NotRequired[float]", "actionUrl": "NotRequired[str]", "priority": "NotRequired[int]", "announce": "NotRequired[str]"})
RouteVerb = TypedDict("RouteVerb", {"route": RouteOptions})
ForwardOptions = TypedDict("ForwardOptions", {"to": "str", "trunkId": "NotRequired[str]", "callerId": "NotRequired[Union[Literal['caller'], Literal['trunk']]]", "timeout": "NotRequired[float]", "actionUrl": "NotRequired[str]", "announce": "NotRequired[str]"})
ForwardVerb = TypedDict("ForwardVerb", {"forward": ForwardOptions})
HangupOptions = TypedDict("HangupOptions", {"cause": "NotRequired[Union[Literal['normal'], Literal['busy'], Literal['rejected']]]"})
HangupVerb = TypedDict("HangupVerb", {"hangup": HangupOptions})
StreamOptions = TypedDict("StreamOptions", {"url": "str", "parameters": "NotRequired[dict[str, str]]", "name": "NotRequired[str]", "background": "NotRequired[bool]", "track": "NotRequired[Union[Literal['inbound'], Literal['outbound'], Literal['both'], Literal['inbound_track'], Literal['outbound_track'], Literal['both_tracks']]]", "maxSeconds": "NotRequired[float]", "actionUrl": "NotRequired[str]", "statusCallbackUrl": "NotRequired[str]", "drainOnClose": "NotRequired[bool]", "record": "NotRequired[bool]", "transcribe": "NotRequired[bool]", "extensions": "NotRequired[list[Union[Literal['vad'], Literal['queue']]]]", "codec": "NotRequired[Union[Literal['audio/x-mulaw'], Literal['audio/x-l16;rate=16000']]]"})
StreamVerb = TypedDict("StreamVerb", {"stream": StreamOptions})
Verb = Union[SayVerb, PlayVerb, PauseVerb, GatherVerb, RecordVerb, RedirectVerb, RouteVerb, ForwardVerb, HangupVerb, StreamVerb]
ControlDocument = list[Verb]

# Parameters that are addresses, and the scheme of a relative one.
ADDRESSES: dict[str, dict[str, str]] = {
    "play": {"url": "http"},
    "gather": {"partialUrl": "http", "actionUrl": "http"},
    "record": {"actionUrl": "http"},
    "redirect": {"url": "http"},
    "route": {"actionUrl": "http"},
    "forward": {"actionUrl": "http"},
    "stream": {"url": "ws", "actionUrl": "http", "statusCallbackUrl": "http"},
}


def say(text: str, *, voice: str | None = None, language: str | None = None, loop: int | None = None, rate: float | None = None) -> SayVerb:
    """Speaks a text.

    text: Text to speak, or SSML when it starts with <speak. An empty text says nothing.
    voice: Voice of the synthesiser. Default: its voice for the language.
    language: BCP 47 language of the text, such as en-US. Default: the language of the site.
    loop: How many times the text is spoken. Default: 1.
    rate: Speed; 1 is normal.
    """
    options = {"text": text, "voice": voice, "language": language, "loop": loop, "rate": rate}
    return cast(SayVerb, {"say": {key: value for key, value in options.items() if value is not None}})


def play(*, prompt: str | None = None, url: str | None = None, loop: int | None = None) -> PlayVerb:
    """Plays a prompt of the library or an audio file.

    prompt: Name of a prompt in the library. Either this or url.
    url: WAV, MP3 or Ogg file of at most 10 MiB. Either this or prompt.
    loop: How many times it is played. Default: 1.
    """
    options = {"prompt": prompt, "url": url, "loop": loop}
    return cast(PlayVerb, {"play": {key: value for key, value in options.items() if value is not None}})


def pause(*, seconds: float | None = None) -> PauseVerb:
    """Plays silence.

    seconds: Length of the silence. Default: 1.
    """
    options = {"seconds": seconds}
    return cast(PauseVerb, {"pause": {key: value for key, value in options.items() if value is not None}})


def gather(*, input: Union[Literal["dtmf"], Literal["speech"], Literal["dtmf speech"], Literal["speech dtmf"]] | None = None, num_digits: int | None = None, min_digits: int | None = None, max_digits: int | None = None, finish_on_key: str | None = None, timeout: float | None = None, inter_digit_timeout: float | None = None, speech_timeout: float | None = None, end_silence: float | None = None, hints: list[str] | None = None, language: str | None = None, barge_in: Union[Literal["any"], Literal["dtmf"], Literal["speech"], Literal["none"], bool] | None = None, type_ahead: bool | None = None, partial_url: str | None = None, sensitive: bool | None = None, action_url: str | None = None) -> GatherVerb:
    """Plays the prompts before it, collects keys or speech and posts gather.completed.

    input: What is collected: keys, speech or whichever comes first. Default: "dtmf".
    num_digits: Ends after this many keys.
    min_digits: A finish key before this many keys is ignored.
    max_digits: As numDigits, but a pause after fewer keys is a normal end.
    finish_on_key: Keys that end the input and are not part of it; "" for none. Default: # unless exactly one key is wanted.
    timeout: Seconds to wait for the first input after the prompts; 0 ends with the prompts. Default: speechTimeout if given, else 5.
    inter_digit_timeout: Seconds to wait for the next key. Default: 3.
    speech_timeout: Longest speech in seconds, counted from its beginning. Default: 15.
    end_silence: Seconds of silence that end the speech. Default: 0.8.
    hints: Words and phrases the caller is likely to say.
    language: BCP 47 language of the speech. Default: the language of the site.
    barge_in: What interrupts the prompts; true is any, false is none. Default: "any".
    type_ahead: Keeps keys pressed before they can interrupt. Default: false.
    partial_url: Receives gather.partial: what was recognised so far; the reply is ignored.
    sensitive: Keeps keys and speech out of logs, trace and cache. Default: false.
    action_url: Absolute URL that receives the result. Default: the URL that returned this document.
    """
    options = {"input": input, "numDigits": num_digits, "minDigits": min_digits, "maxDigits": max_digits, "finishOnKey": finish_on_key, "timeout": timeout, "interDigitTimeout": inter_digit_timeout, "speechTimeout": speech_timeout, "endSilence": end_silence, "hints": hints, "language": language, "bargeIn": barge_in, "typeAhead": type_ahead, "partialUrl": partial_url, "sensitive": sensitive, "actionUrl": action_url}
    return cast(GatherVerb, {"gather": {key: value for key, value in options.items() if value is not None}})


def record(*, max_seconds: float | None = None, finish_on_key: str | None = None, transcribe: bool | None = None, play_beep: bool | None = None, silence_timeout: float | None = None, initial_timeout: float | None = None, language: str | None = None, hints: list[str] | None = None, sensitive: bool | None = None, action_url: str | None = None) -> RecordVerb:
    """Records the caller and posts record.completed.

    max_seconds: Longest recording in seconds. Default: 120.
    finish_on_key: The key that ends the recording; "" for none. Default: "#".
    transcribe: Sends the transcript with the event. Default: false.
    play_beep: Plays a tone before the recording starts. Default: true.
    silence_timeout: Seconds of silence that end the recording; 0 for none. Default: 5.
    initial_timeout: Seconds to wait for the first word; 0 for no limit. Default: 10.
    language: BCP 47 language of the speech. Default: the language of the site.
    hints: Words and phrases the caller is likely to say.
    sensitive: Keeps the transcript out of logs and trace. Default: false.
    action_url: Absolute URL that receives the result. Default: the URL that returned this document.
    """
    options = {"maxSeconds": max_seconds, "finishOnKey": finish_on_key, "transcribe": transcribe, "playBeep": play_beep, "silenceTimeout": silence_timeout, "initialTimeout": initial_timeout, "language": language, "hints": hints, "sensitive": sensitive, "actionUrl": action_url}
    return cast(RecordVerb, {"record": {key: value for key, value in options.items() if value is not None}})


def redirect(url: str) -> RedirectVerb:
    """Fetches the next document from another URL.

    url: Absolute URL that receives call.redirected and answers with the next document.
    """
    options = {"url": url}
    return cast(RedirectVerb, {"redirect": {key: value for key, value in options.items() if value is not None}})


def route(to: str, *, timeout: float | None = None, action_url: str | None = None, priority: int | None = None, announce: str | None = None) -> RouteVerb:
    """Hands the call to an internal destination.

    to: Extension or destination that the administrator published to the endpoint.
    timeout: Seconds to let it ring; a queue has its own times. Default: 30.
    action_url: Receives route.completed. Without it the flow ends with the transfer.
    priority: In a queue, callers with a larger priority go first. Default: 0.
    announce: Text for the person who answers.
    """
    options = {"to": to, "timeout": timeout, "actionUrl": action_url, "priority": priority, "announce": announce}
    return cast(RouteVerb, {"route": {key: value for key, value in options.items() if value is not None}})


def forward(to: str, *, trunk_id: str | None = None, caller_id: Union[Literal["caller"], Literal["trunk"]] | None = None, timeout: float | None = None, action_url: str | None = None, announce: str | None = None) -> ForwardVerb:
    """Forwards the call to an external number.

    to: Number outside of the house in E.164 form, such as +15550001000; `route` reaches extensions.
    trunk_id: Trunk to use. Default: as the rules of `outbound` say; without any rule the default trunk.
    caller_id: The number that the called person sees. Default: "trunk".
    timeout: Seconds to let it ring. Default: 45.
    action_url: Receives forward.completed. Without it the flow ends with the transfer.
    announce: Text for the person who answers.
    """
    options = {"to": to, "trunkId": trunk_id, "callerId": caller_id, "timeout": timeout, "actionUrl": action_url, "announce": announce}
    return cast(ForwardVerb, {"forward": {key: value for key, value in options.items() if value is not None}})


def hangup(*, cause: Union[Literal["normal"], Literal["busy"], Literal["rejected"]] | None = None) -> HangupVerb:
    """Ends the call.

    cause: The SIP answer to a caller whose call was not answered yet. Default: "normal".
    """
    options = {"cause": cause}
    return cast(HangupVerb, {"hangup": {key: value for key, value in options.items() if value is not None}})


def stream(url: str, *, parameters: dict[str, str] | None = None, name: str | None = None, background: bool | None = None, track: Union[Literal["inbound"], Literal["outbound"], Literal["both"], Literal["inbound_track"], Literal["outbound_track"], Literal["both_tracks"]] | None = None, max_seconds: float | None = None, action_url: str | None = None, status_callback_url: str | None = None, drain_on_close: bool | None = None, record: bool | None = None, transcribe: bool | None = None, extensions: list[Union[Literal["vad"], Literal["queue"]]] | None = None, codec: Union[Literal["audio/x-mulaw"], Literal["audio/x-l16;rate=16000"]] | None = None) -> StreamVerb:
    """Opens a media-stream WebSocket for real-time audio.

    url: WebSocket URL; its query string is kept.
    parameters: Sent as customParameters.
    name: Name of the stream, for its status events.
    background: Only sends audio; the next verb runs at once. Default: false.
    track: Which audio is sent: what the caller says (inbound) or hears (outbound); outbound and both need background. Default: "inbound".
    max_seconds: Default: the limit of the call.
    action_url: Receives stream.completed.
    status_callback_url: Receives stream.started, stream.stopped and stream.error.
    drain_on_close: Plays what is queued after the server closed. Default: true.
    record: Records the call while the stream lasts: the caller on the left, what they hear on the right. Default: false.
    transcribe: The recording is transcribed: the words of the caller. Needs record. Default: false.
    extensions: Frames beyond those of Twilio. Default: [].
    codec: Form of the audio, both ways: G.711 µ-law at 8 kHz, or 16-bit samples at 16 kHz with the low byte first, for calls in G.722. Default: "audio/x-mulaw".
    """
    options = {"url": url, "parameters": parameters, "name": name, "background": background, "track": track, "maxSeconds": max_seconds, "actionUrl": action_url, "statusCallbackUrl": status_callback_url, "drainOnClose": drain_on_close, "record": record, "transcribe": transcribe, "extensions": extensions, "codec": codec}
    return cast(StreamVerb, {"stream": {key: value for key, value in options.items() if value is not None}})
