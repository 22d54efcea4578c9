/** Recordings of talks. */
import type { Core, Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Speaker } from '../../speech/speaker.ts'
import type { Recordings } from '../../voice/recordings.ts'
import { emergencyNumberIn } from '../emergency/numbers.ts'
import { TalkRecorder } from './talk-recorder.ts'

export interface RecordingPart extends Part {
  readonly recorder: TalkRecorder
}

export interface RecordingPartOptions {
  readonly recordings: Recordings
  readonly speaker: Pick<Speaker, 'prepare'>
}

export function recordingPart(
  { config, clock, log, trail }: Ground & Pick<Core, 'trail'>,
  { recordings, speaker }: RecordingPartOptions,
): RecordingPart {
  const recorder = new TalkRecorder({
    ...{ config, clock, log, speaker, recordings },
    isHelp: (number) => emergencyNumberIn(config, number) !== null,
    noted: (deed, recordingId, extension) =>
      trail.happened({ actor: extension === '' ? 'system' : `phone:${extension}`, address: '', deed, object: recordingId }),
  })
  return { name: 'recording', recorder }
}
