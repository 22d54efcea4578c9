/**
 * The speech process: recognition, endpoints and voices outside the daemon, where a native library that fails costs an answer and no call.
 * Started by the daemon; `--trial` tries a plan (see speech/worker/main.ts).
 */
import { detectors, recognisers, voices } from '../../drivers/index.ts'
import { runSpeechProgram } from '../speech/worker/main.ts'

const { 'embedded-grammar': grammar, ...byKind } = recognisers

await runSpeechProgram({ grammar, recognisers: byKind, silero: detectors.silero, webrtc: detectors.webrtc, voices }, process.argv.slice(2))
