/** The doors of the box: the web port, and the technician's socket. Both serve what the parts give. */
import { isoTime } from '../clock.ts'
import { peerReader } from '../control/peer.ts'
import { startControl, type ControlServer } from '../control/server.ts'
import type { StoredServicesView } from '../control/services.ts'
import type { BoxServices } from './box-services.ts'
import type { Core } from '../core.ts'
import type { Eraser } from '../erasure/erasure.ts'
import { ApiError } from '../errors.ts'
import { openApiDocument } from '../http/openapi.ts'
import { docsRoutes } from '../http/routes/docs.ts'
import { healthRoutes } from '../http/routes/health.ts'
import { metricsRoutes } from '../http/routes/metrics.ts'
import { startHttp, type HttpServer } from '../http/server.ts'
import type { Sample } from '../metrics.ts'
import type { Part } from '../part.ts'
import type { Store } from '../store/store.ts'
import type { Tokens } from '../tokens.ts'

export interface DoorsPartOptions {
  /** All of them. */
  readonly parts: () => readonly Part[]
  readonly tokens: Tokens
  /** What the technician's socket has beside what the parts give. */
  readonly services: () => BoxServices
}

export interface DoorsPart extends Part {
  /** Of the web port once it is open, such as `http://127.0.0.1:8080`. */
  address(): string | null
}

export function doorsPart(core: Core, options: DoorsPartOptions): DoorsPart {
  const { config, trail, log } = core
  const { tokens, parts } = options
  let http: HttpServer | null = null
  let control: ControlServer | null = null
  const routes = () => {
    const all = parts().flatMap((part) => part.routes ?? [])
    all.push(...healthRoutes(core), ...metricsRoutes(core), ...docsRoutes((now) => openApiDocument(all, now)))
    return all
  }
  return {
    name: 'doors',
    address: () => (http === null ? null : `${config.http.tls ? 'https' : 'http'}://${http.address}:${http.port}`),
    figures: [
      {
        name: 'pbx_http_requests_total',
        help: 'Answered requests.',
        type: 'counter',
        read: () =>
          Array.from(http?.counts() ?? [], ({ operation, status, count }): Sample => [{ operation, status: String(status) }, count]),
      },
    ],
    sweeps: [{ what: 'answers to repeated requests', sweep: async () => http?.sweep() ?? 0 }],
    async start() {
      const { listen, tls } = config.http
      const served = { routes: routes(), tokens: tokens.all, tokenUsed: tokens.used, limits: config.limits }
      http = await startHttp({ ...core, ...served, listen, ...(tls === undefined ? {} : { tls }) })
      control = await startControl({
        socket: config.control.socket,
        log,
        audited: { trail, peerOf: peerReader({ helper: core.programs.peer, log }) },
        services: Object.assign(options.services(), ...parts().map((part) => part.control ?? {}), {
          stored: storedIn(core.store, parts()),
        }),
      })
    },
    async stop() {
      await http?.close()
      await control?.close()
    },
  }
}

function storedIn(store: Store, all: readonly Part[]): StoredServicesView {
  const erasers = Object.assign({}, ...all.map((part) => part.erasers ?? {})) as Record<string, Eraser | undefined>
  return {
    recordings: (limit) =>
      Array.from(store.tables.recordings.range({ reverse: true, limit }), ({ value }) => ({
        recordingId: value.recordingId,
        callId: value.callId,
        createdAt: isoTime(value.createdAt),
        expiresAt: isoTime(value.expiresAt),
        durationMs: value.durationMs,
        bytes: value.bytes,
        transcriptStatus: value.transcriptStatus,
      })),
    async remove(kind, id, alongside) {
      const erase = erasers[kind]
      if (erase === undefined) throw new ApiError('not_found', `Nothing of the kind ${kind} is kept.`)
      await erase(id, alongside)
    },
  }
}
