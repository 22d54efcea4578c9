/** The section `speech` of the configuration. */
import { Type } from '@sinclair/typebox'
import { Choice, strict } from './forms.ts'

const recogniserName = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const SpeechSchema = strict(
  {
    recogniser: Type.Union(
      [
        Type.String({
          minLength: 1,
          description: 'auto, off, embedded-grammar, or the name of an installed model, for calls and recordings.',
        }),
        strict(
          {
            call: recogniserName('Understands callers in a gather.'),
            recording: recogniserName('Transcribes recordings; embedded-grammar cannot.'),
          },
          'Recogniser by role.',
        ),
      ],
      { default: 'auto', description: 'Recognisers: `pbx models list` shows the names.' },
    ),
    voice: Type.Union(
      [
        Type.String({ minLength: 1, description: 'auto, flite, espeak-ng, or the name of an installed voice.' }),
        Type.Record(Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$' }), Type.String({ minLength: 1 }), {
          description: 'Voice by language, such as { en: piper-amy-low, es: espeak-ng }.',
        }),
      ],
      { default: 'auto', description: 'Voices.' },
    ),
    detector: Choice(['auto', 'silero', 'webrtc'], { default: 'auto', description: 'Detector that notices speech.' }),
    models: strict(
      {
        dir: Type.String({
          default: 'var/models',
          minLength: 1,
          description: 'Folder of the models. Default: below storage.dir.',
        }),
      },
      'Speech models.',
    ),
    // The largest models that are recommended, with the embedded grammar and its further threads (docs/figures/speech.md).
    callMegabytes: Type.Integer({
      default: 1300,
      minimum: 200,
      maximum: 16_384,
      description: 'Memory of the speech process that serves calls. A process that needs more is restarted.',
    }),
    recordingMegabytes: Type.Integer({
      default: 1200,
      minimum: 200,
      maximum: 16_384,
      description: 'The same for the process that transcribes recordings.',
    }),
  },
  'Speech engines.',
)
