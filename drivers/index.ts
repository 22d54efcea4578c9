/**
 * Every kind of driver there is, each behind a lazy import: a kind that is not configured is never loaded.
 */

export const lineDrivers = {
  sip: async () => (await import('./sip/driver.ts')).createSipDriver,
  modem: async () => (await import('./modem/driver.ts')).createModemLine,
  sim: async () => (await import('./sim/driver.ts')).createSimDriver,
  analogSim: async () => (await import('./sim/analog/lines.ts')).SimLines,
} as const

/** What carries text messages. */
export const smsTrunks = {
  modem: async () => (await import('./gsm/modem.ts')).createGsmTrunk,
  sim: async () => {
    const [{ createSimTrunk }, { createGsmTrunk }] = await Promise.all([import('./sim/gsm/trunk.ts'), import('./gsm/modem.ts')])
    return (options: Omit<Parameters<typeof createSimTrunk>[0], 'createModemTrunk'>) =>
      createSimTrunk({ ...options, createModemTrunk: createGsmTrunk })
  },
  smpp: async () => (await import('./smpp/trunk.ts')).createSmppTrunk,
  sip: async () => (await import('./sip/messages.ts')).createSipMessageTrunk,
  http: async () => (await import('./sms-http/trunk.ts')).createHttpTrunk,
} as const

export const synthesisers = {
  flite: async () => (await import('./speech-embedded/engines.ts')).createFlite,
  'espeak-ng': async () => (await import('./speech-embedded/engines.ts')).createEspeak,
} as const

/** By the kind of the model; the embedded one needs none. */
export const recognisers = {
  'embedded-grammar': async () => (await import('./speech-grammar/recogniser.ts')).createGrammarRecogniser,
  'nemo-ctc': async () => (await import('./speech-sherpa/recogniser.ts')).createSherpaRecogniser,
  whisper: async () => (await import('./speech-sherpa/recogniser.ts')).createSherpaRecogniser,
  moonshine: async () => (await import('./speech-sherpa/recogniser.ts')).createSherpaRecogniser,
} as const

export const detectors = {
  silero: async () => (await import('./speech-sherpa/detector.ts')).createSileroDetectors,
  webrtc: async () => (await import('./speech-grammar/detector.ts')).createWebrtcDetectors,
} as const

export const voices = {
  piper: async () => (await import('./speech-sherpa/voice.ts')).createPiperVoice,
} as const
