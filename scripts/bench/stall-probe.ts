/**
 * Loaded into the daemon with `node --import`: on SIGUSR2 it begins to measure how late its event loop is, on the next it writes what
 * it saw, as JSON, into the file that PBXD_STALLS names. One sample a millisecond; a stall is one sample as long as the stall.
 */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 1
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
let running = false

process.on('SIGUSR2', () => {
  if (!running) {
    running = true
    delay.reset()
    delay.enable()
    return
  }
  running = false
  delay.disable()
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const [p50, p99, p999] = [50, 99, 99.9].map((share) => late(delay.percentile(share)))
  writeFileSync(process.env['PBXD_STALLS'] ?? '/dev/null', JSON.stringify({ samples: delay.count, p50, p99, p999, max: late(delay.max) }))
})
