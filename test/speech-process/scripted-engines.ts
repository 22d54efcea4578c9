/**
 * A speech process whose engines follow a script instead of a model: voice is what is loud, text is the length of what
 * was loud. A model's directory says how the engine shall behave.
 */
import { SpeechError, type EndpointDetectors, type ModelFiles, type Recogniser, type Synthesiser } from '../../drivers/speech.ts'
import { runSpeechProgram } from '../../daemon/speech/worker/main.ts'

const loud = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > 1000)

function detectors(): EndpointDetectors {
  return {
    id: 'silero',
    onsetDelayMs: 0,
    releaseDelayMs: 0,
    take: () => ({ push: loud, reset: () => undefined }),
    give: () => undefined,
    close: () => undefined,
  }
}

const memory: Buffer[] = []

async function recogniser(model: ModelFiles): Promise<Recogniser> {
  const behaviour = model.directory
  if (behaviour === 'exit-at-load') process.exit(255)
  if (behaviour === 'refuse') throw new SpeechError('engine-failed', 'the model is no model')
  if (behaviour === 'slow-load') await new Promise((resolve) => setTimeout(resolve, 400))
  return {
    id: model.id,
    vocabulary: 'open',
    recognises: (language) => model.languages.some((tag) => tag === '*' || tag === language),
    async recognise(samples, request) {
      if (request.hints.includes('hang')) await new Promise(() => undefined)
      if (request.hints.includes('block')) for (;;);
      if (request.hints.includes('exit')) process.exit(1)
      if (request.hints.includes('fail')) throw new SpeechError('engine-failed', 'the decode failed')
      if (request.hints.includes('eat')) memory.push(Buffer.alloc(300 * 1024 * 1024, 1))
      if (request.hints.includes('nothing')) return { text: '' }
      const voiced = samples.reduce((sum, sample) => sum + (Math.abs(sample) > 1000 ? 1 : 0), 0)
      return { text: `heard ${Math.round(voiced / 800) * 100}`, confidence: 0.5 }
    },
    close: async () => undefined,
  }
}

async function voice(model: ModelFiles): Promise<Synthesiser> {
  return {
    id: model.id,
    check: async () => ({ ok: true, reason: '' }),
    speaks: () => true,
    voices: () => [],
    async synthesise({ text }) {
      if (text === 'hang') await new Promise(() => undefined)
      if (text === 'exit') process.exit(1)
      if (text === 'fail') throw new SpeechError('engine-failed', 'the voice failed')
      return new Int16Array(text.length * 100)
    },
  }
}

await runSpeechProgram(
  {
    recognisers: { scripted: async () => recogniser },
    grammar: async () => async () => ({
      ...(await recogniser({ id: 'embedded-grammar', kind: '', directory: '', files: {}, languages: ['en-US'] })),
      vocabulary: 'closed',
      expected: (text, { hints }) => hints.find((hint) => text === `heard ${hint}`) ?? null,
    }),
    silero: async () => (file) => {
      if (file === 'exit') process.exit(134)
      if (file === 'refuse') throw new Error('no such model')
      return detectors()
    },
    webrtc: async () => () => ({ ...detectors(), id: 'webrtc' }),
    voices: { scripted: async () => voice },
  },
  process.argv.slice(2),
)
