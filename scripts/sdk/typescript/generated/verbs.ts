/** Written by `npm run generate` from the schemas of the box. */

export interface SayOptions {
  /** Text to speak, or SSML when it starts with <speak. An empty text says nothing. */ readonly text: string
  /** Voice of the synthesiser. Default: its voice for the language. */ readonly voice?: string
  /** BCP 47 language of the text, such as en-US. Default: the language of the site. */ readonly language?: string
  /** How many times the text is spoken. Default: 1. */ readonly loop?: number
  /** Speed; 1 is normal. */ readonly rate?: number
}
export interface SayVerb { readonly say: SayOptions }
/** Speaks a text. */
export const say = (text: string, options: Omit<SayOptions, 'text'> = {}): SayVerb => ({ say: { ...options, text } })

export interface PlayOptions {
  /** Name of a prompt in the library. Either this or url. */ readonly prompt?: string
  /** WAV, MP3 or Ogg file of at most 10 MiB. Either this or prompt. */ readonly url?: string
  /** How many times it is played. Default: 1. */ readonly loop?: number
}
export interface PlayVerb { readonly play: PlayOptions }
/** Plays a prompt of the library or an audio file. */
export const play = (options: PlayOptions = {}): PlayVerb => ({ play: options })

export interface PauseOptions {
  /** Length of the silence. Default: 1. */ readonly seconds?: number
}
export interface PauseVerb { readonly pause: PauseOptions }
/** Plays silence. */
export const pause = (options: PauseOptions = {}): PauseVerb => ({ pause: options })

export interface GatherOptions {
  /** What is collected: keys, speech or whichever comes first. Default: "dtmf". */ readonly input?: 'dtmf' | 'speech' | 'dtmf speech' | 'speech dtmf'
  /** Ends after this many keys. */ readonly numDigits?: number
  /** A finish key before this many keys is ignored. */ readonly minDigits?: number
  /** As numDigits, but a pause after fewer keys is a normal end. */ readonly maxDigits?: number
  /** Keys that end the input and are not part of it; "" for none. Default: # unless exactly one key is wanted. */ readonly finishOnKey?: string
  /** Seconds to wait for the first input after the prompts; 0 ends with the prompts. Default: speechTimeout if given, else 5. */ readonly timeout?: number
  /** Seconds to wait for the next key. Default: 3. */ readonly interDigitTimeout?: number
  /** Longest speech in seconds, counted from its beginning. Default: 15. */ readonly speechTimeout?: number
  /** Seconds of silence that end the speech. Default: 0.8. */ readonly endSilence?: number
  /** Words and phrases the caller is likely to say. */ readonly hints?: readonly (string)[]
  /** BCP 47 language of the speech. Default: the language of the site. */ readonly language?: string
  /** What interrupts the prompts; true is any, false is none. Default: "any". */ readonly bargeIn?: 'any' | 'dtmf' | 'speech' | 'none' | boolean
  /** Keeps keys pressed before they can interrupt. Default: false. */ readonly typeAhead?: boolean
  /** Receives gather.partial: what was recognised so far; the reply is ignored. */ readonly partialUrl?: string
  /** Keeps keys and speech out of logs, trace and cache. Default: false. */ readonly sensitive?: boolean
  /** Absolute URL that receives the result. Default: the URL that returned this document. */ readonly actionUrl?: string
}
export interface GatherVerb { readonly gather: GatherOptions }
/** Plays the prompts before it, collects keys or speech and posts gather.completed. */
export const gather = (options: GatherOptions = {}): GatherVerb => ({ gather: options })

export interface RecordOptions {
  /** Longest recording in seconds. Default: 120. */ readonly maxSeconds?: number
  /** The key that ends the recording; "" for none. Default: "#". */ readonly finishOnKey?: string
  /** Sends the transcript with the event. Default: false. */ readonly transcribe?: boolean
  /** Plays a tone before the recording starts. Default: true. */ readonly playBeep?: boolean
  /** Seconds of silence that end the recording; 0 for none. Default: 5. */ readonly silenceTimeout?: number
  /** Seconds to wait for the first word; 0 for no limit. Default: 10. */ readonly initialTimeout?: number
  /** BCP 47 language of the speech. Default: the language of the site. */ readonly language?: string
  /** Words and phrases the caller is likely to say. */ readonly hints?: readonly (string)[]
  /** Keeps the transcript out of logs and trace. Default: false. */ readonly sensitive?: boolean
  /** Absolute URL that receives the result. Default: the URL that returned this document. */ readonly actionUrl?: string
}
export interface RecordVerb { readonly record: RecordOptions }
/** Records the caller and posts record.completed. */
export const record = (options: RecordOptions = {}): RecordVerb => ({ record: options })

export interface RedirectOptions {
  /** Absolute URL that receives call.redirected and answers with the next document. */ readonly url: string
}
export interface RedirectVerb { readonly redirect: RedirectOptions }
/** Fetches the next document from another URL. */
export const redirect = (url: string, options: Omit<RedirectOptions, 'url'> = {}): RedirectVerb => ({ redirect: { ...options, url } })

export interface RouteOptions {
  /** Extension or destination that the administrator published to the endpoint. */ readonly to: string
  /** Seconds to let it ring; a queue has its own times. Default: 30. */ readonly timeout?: number
  /** Receives route.completed. Without it the flow ends with the transfer. */ readonly actionUrl?: string
  /** In a queue, callers with a larger priority go first. Default: 0. */ readonly priority?: number
  /** Text for the person who answers. */ readonly announce?: string
}
export interface RouteVerb { readonly route: RouteOptions }
/** Hands the call to an internal destination. */
export const route = (to: string, options: Omit<RouteOptions, 'to'> = {}): RouteVerb => ({ route: { ...options, to } })

export interface ForwardOptions {
  /** Number outside of the house in E.164 form, such as +15550001000; `route` reaches extensions. */ readonly to: string
  /** Trunk to use. Default: as the rules of `outbound` say; without any rule the default trunk. */ readonly trunkId?: string
  /** The number that the called person sees. Default: "trunk". */ readonly callerId?: 'caller' | 'trunk'
  /** Seconds to let it ring. Default: 45. */ readonly timeout?: number
  /** Receives forward.completed. Without it the flow ends with the transfer. */ readonly actionUrl?: string
  /** Text for the person who answers. */ readonly announce?: string
}
export interface ForwardVerb { readonly forward: ForwardOptions }
/** Forwards the call to an external number. */
export const forward = (to: string, options: Omit<ForwardOptions, 'to'> = {}): ForwardVerb => ({ forward: { ...options, to } })

export interface HangupOptions {
  /** The SIP answer to a caller whose call was not answered yet. Default: "normal". */ readonly cause?: 'normal' | 'busy' | 'rejected'
}
export interface HangupVerb { readonly hangup: HangupOptions }
/** Ends the call. */
export const hangup = (options: HangupOptions = {}): HangupVerb => ({ hangup: options })

export interface StreamOptions {
  /** WebSocket URL; its query string is kept. */ readonly url: string
  /** Sent as customParameters. */ readonly parameters?: Readonly<Record<string, string>>
  /** Name of the stream, for its status events. */ readonly name?: string
  /** Only sends audio; the next verb runs at once. Default: false. */ readonly background?: boolean
  /** Which audio is sent: what the caller says (inbound) or hears (outbound); outbound and both need background. Default: "inbound". */ readonly track?: 'inbound' | 'outbound' | 'both' | 'inbound_track' | 'outbound_track' | 'both_tracks'
  /** Default: the limit of the call. */ readonly maxSeconds?: number
  /** Receives stream.completed. */ readonly actionUrl?: string
  /** Receives stream.started, stream.stopped and stream.error. */ readonly statusCallbackUrl?: string
  /** Plays what is queued after the server closed. Default: true. */ readonly drainOnClose?: boolean
  /** Records the call while the stream lasts: the caller on the left, what they hear on the right. Default: false. */ readonly record?: boolean
  /** The recording is transcribed: the words of the caller. Needs record. Default: false. */ readonly transcribe?: boolean
  /** Frames beyond those of Twilio. Default: []. */ readonly extensions?: readonly ('vad' | 'queue')[]
  /** Form of the audio, both ways: G.711 µ-law at 8 kHz, or 16-bit samples at 16 kHz with the low byte first, for calls in G.722. Default: "audio/x-mulaw". */ readonly codec?: 'audio/x-mulaw' | 'audio/x-l16;rate=16000'
}
export interface StreamVerb { readonly stream: StreamOptions }
/** Opens a media-stream WebSocket for real-time audio. */
export const stream = (url: string, options: Omit<StreamOptions, 'url'> = {}): StreamVerb => ({ stream: { ...options, url } })

export type Verb = SayVerb | PlayVerb | PauseVerb | GatherVerb | RecordVerb | RedirectVerb | RouteVerb | ForwardVerb | HangupVerb | StreamVerb
/** What an event is answered with. */
export type ControlDocument = readonly Verb[]

/** Parameters that are addresses, and the scheme of a relative one. */
export const addresses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  play: { url: 'http' },
  gather: { partialUrl: 'http', actionUrl: 'http' },
  record: { actionUrl: 'http' },
  redirect: { url: 'http' },
  route: { actionUrl: 'http' },
  forward: { actionUrl: 'http' },
  stream: { url: 'ws', actionUrl: 'http', statusCallbackUrl: 'http' },
}
