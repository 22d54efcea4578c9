/**
 * Notifies systemd that the daemon is ready, what it does, that it is alive, and that it stops (sd_notify(3)). Node has no unix datagram
 * sockets, so one small child, pbxd-notify (systemd/notify.c), sends each line it is given. Without $NOTIFY_SOCKET all of it does nothing.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { Log } from './log.ts'

export interface Notifier {
  /** Whether systemd listens. */
  readonly active: boolean
  /** Start-up is finished: units that wait for this one may start. */
  ready(): void
  /** One line for `systemctl status`. */
  status(text: string): void
  stopping(): void
  /** Pings the watchdog as long as `alive` says so, four times within the interval the unit asks for, so that three in a row must fail; no ping when it does not ask. */
  watch(alive: () => boolean): void
  /** Ends the child, after all notifications have been sent. */
  close(): void
}

const silent: Notifier = { active: false, ready() {}, status() {}, stopping() {}, watch() {}, close() {} }

/** Takes $NOTIFY_SOCKET out of `env`, so that no other child of the daemon speaks to systemd in its name. */
export function systemdNotifier(options: { helper: string; log: Log; env?: NodeJS.ProcessEnv; pid?: number }): Notifier {
  const { helper, log, env = process.env, pid = process.pid } = options
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = env
  delete env['NOTIFY_SOCKET']
  if (!NOTIFY_SOCKET) return silent
  let closed = false
  // Were a lost child not replaced, the watchdog would end a daemon that is well.
  const start = (): ChildProcessByStdio<Writable, null, null> => {
    const started = spawn(helper, [], { stdio: ['pipe', 'ignore', 'inherit'], env: { NOTIFY_SOCKET } })
    started.once('error', (err) =>
      log.error({ err }, 'the daemon cannot report its state to systemd: scripts/setup builds the missing program'),
    )
    started.stdin.on('error', () => undefined)
    started.once('exit', () => {
      if (!closed) child = start()
    })
    started.unref()
    return started
  }
  let child = start()
  const tell = (line: string): void => void child.stdin.write(`${line}\n`)
  const watched = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === pid
  const intervalMs = watched ? Number(WATCHDOG_USEC ?? 0) / 1000 : 0
  let pings: NodeJS.Timeout | undefined
  return {
    active: true,
    ready: () => tell('READY=1'),
    status: (text) => tell(`STATUS=${text.replace(/[\r\n]+/g, ' ')}`),
    stopping: () => tell('STOPPING=1'),
    watch(alive) {
      if (!(intervalMs > 0) || pings) return
      const ping = (): void => {
        if (alive()) tell('WATCHDOG=1')
      }
      ping()
      pings = setInterval(ping, intervalMs / 4).unref()
    },
    close() {
      closed = true
      clearInterval(pings)
      child.stdin.end()
    },
  }
}
