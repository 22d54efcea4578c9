/**
 * Every kind of driver there is, each behind a lazy import: a kind that is not configured is never loaded.
 */

export const lineDrivers = {
  sip: async () => (await import('./sip/driver.ts')).createSipDriver,
  sim: async () => (await import('./sim/driver.ts')).createSimDriver,
} as const

export const synthesisers = {
  flite: async () => (await import('./speech-embedded/engines.ts')).createFlite,
  'espeak-ng': async () => (await import('./speech-embedded/engines.ts')).createEspeak,
} as const
