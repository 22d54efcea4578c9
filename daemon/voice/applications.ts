/** Which application a call belongs to, with its URLs, its secret and its habits. */
import type { Config, VoiceEndpointConfig } from '../schema/config.ts'
import type { CallRow } from '../store/tables.ts'
import type { InternalApplications } from './internal.ts'
import type { Application } from './session-types.ts'

export function endpointOf(config: Config, id: string): VoiceEndpointConfig | undefined {
  return config.voice.endpoints.find((endpoint) => endpoint.id === id || endpoint.name === id)
}

/**
 * The endpoint whose application serves `url`: the same scheme, host and port as its control URL; of several the one with the same
 * path. A call placed with such a URL belongs to the endpoint: its secret, status address, events, fallback and limits.
 */
export function endpointServing(config: Config, url: string): VoiceEndpointConfig | undefined {
  const { origin, pathname } = new URL(url)
  const there = config.voice.endpoints.filter((endpoint) => new URL(endpoint.controlUrl).origin === origin)
  return there.find((endpoint) => new URL(endpoint.controlUrl).pathname === pathname) ?? there[0]
}

/** The application of a call; `controlUrl` is '' for a call that only carries its own document. */
export function applicationOf(config: Config, row: CallRow, internal: InternalApplications): Application {
  const own = internal.get(row.endpointId)
  if (own !== undefined) return internalApplication(config, row.endpointId, own.destinations, row.maxSeconds)
  const endpoint = config.voice.endpoints.find((candidate) => candidate.id === row.endpointId)
  const named = row.source?.kind === 'url' ? row.source.url : null
  return {
    id: endpoint?.id ?? '',
    internal: false,
    controlUrl: named ?? (row.source?.kind === 'document' ? '' : (endpoint?.controlUrl ?? '')),
    secret: endpoint?.secret ?? config.callbacks.secret,
    fallbackUrl: endpoint?.fallbackUrl ?? null,
    fallbackDestinations: [endpoint?.fallbackDestination, config.site.fallbackDestination].filter((text) => text !== undefined),
    destinations: endpoint?.destinations ?? [],
    classOfService: endpoint?.classOfService ?? 'national',
    waitAudio: endpoint?.waitAudio ?? 'phrase',
    timeoutMs: (endpoint?.timeoutSeconds ?? 10) * 1000,
    maxCallSeconds: row.maxSeconds > 0 ? row.maxSeconds : (endpoint?.maxCallSeconds ?? 14_400),
  }
}

const answerMs = 10_000

/** An application that lives in the daemon; `url` is its id as well. */
export function internalApplication(config: Config, url: string, destinations: readonly string[], maxCallSeconds: number): Application {
  return {
    id: url,
    internal: true,
    controlUrl: url,
    // For a document that the API puts in its place, whose results go out.
    secret: config.callbacks.secret,
    fallbackUrl: null,
    fallbackDestinations: [],
    destinations,
    classOfService: 'internal',
    waitAudio: 'none',
    timeoutMs: answerMs,
    maxCallSeconds,
  }
}
