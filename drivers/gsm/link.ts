/** One opening of the device: the port, the channel on it, and when it ended. */
import { access } from 'node:fs/promises'
import { openPort, PortError, type Port } from '../serial/port.ts'
import { AtChannel, type ChannelTimes } from './at-channel.ts'
import type { Notice } from './lines.ts'

export interface Link {
  readonly at: AtChannel
  /** Resolves when the device is gone, or was closed. */
  readonly gone: Promise<void>
  readonly isGone: () => boolean
  close(): Promise<void>
}

export interface LinkHandlers {
  notice(notice: Notice): void
  deaf(): void
  gone(): void
  trace?(sent: boolean, text: string): void
}

export interface LinkFault {
  readonly state: 'no-device' | 'in-use' | 'faulty'
  readonly text: string
}

export async function openLink(
  device: string,
  baudRate: number,
  times: ChannelTimes,
  handlers: LinkHandlers,
): Promise<{ readonly link: Link } | { readonly fault: LinkFault }> {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  let over = false
  let at: AtChannel | null = null
  let port: Port
  try {
    port = await openPort(
      device,
      { baudRate, rtscts: false },
      {
        data: (bytes) => at?.onData(bytes),
        closed: () => {
          over = true
          at?.closed()
          resolve()
          handlers.gone()
        },
      },
    )
  } catch (error) {
    return { fault: await explain(device, error) }
  }
  const { trace } = handlers
  at = new AtChannel(
    port,
    { notice: (notice) => handlers.notice(notice), deaf: () => handlers.deaf(), ...(trace === undefined ? {} : { trace }) },
    times,
  )
  return { link: { at, gone, isGone: () => over, close: () => port.close() } }
}

async function explain(device: string, error: unknown): Promise<LinkFault> {
  const text = error instanceof Error ? error.message : String(error)
  if (!(error instanceof PortError)) return { state: 'faulty', text }
  if (error.reason === 'missing') return { state: 'no-device', text: `${text}; is the modem plugged in?` }
  if (error.reason !== 'in-use') return { state: 'faulty', text }
  const culprit = (await isRunning('ModemManager'))
    ? 'ModemManager probably uses it: install systemd/99-pbx-gsm.rules, then plug the modem in again'
    : ''
  return { state: 'in-use', text: culprit === '' ? text : `${text}. ${culprit}` }
}

/** By its control group: the processes of others cannot be seen. */
function isRunning(service: string): Promise<boolean> {
  return access(`/sys/fs/cgroup/system.slice/${service}.service`).then(
    () => true,
    () => false,
  )
}
