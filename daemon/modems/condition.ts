/** Whether the modem lines work: for `/readyz`, the warnings and the figures. */
import type { LineStatus } from '../../drivers/line.ts'
import { ours, said } from '../base/for-log.ts'
import type { CodedWarning, PartState } from '../base/health.ts'
import type { Figure, Sample } from '../base/metrics.ts'

export function condition(down: readonly LineStatus[]): PartState {
  const detail = down.map((line) => `${line.id}: ${line.reason === '' ? line.state : line.reason}`).join('; ')
  return { ok: down.length === 0, reason: down.length === 0 ? '' : 'a modem line is down', detail, required: false }
}

export function modemWarnings(down: readonly LineStatus[]): CodedWarning[] {
  return down
    .filter(({ state }) => state !== 'starting')
    .map(({ id, state, reason }) => ({
      code: `line-${id}`,
      kind: 'line',
      severity: 'error',
      text: said`Line ${ours(id)}: ${reason === '' ? state : reason}`,
      fix: `pbx modem test ${id}`,
    }))
}

export function modemFigures(lines: () => readonly LineStatus[]): readonly Figure[] {
  return [
    {
      name: 'pbx_modem_up',
      help: 'Whether a modem line works, now or as soon as its call has ended.',
      type: 'gauge',
      read: () => lines().map((line): Sample => [{ line: line.id }, line.ok ? 1 : 0]),
    },
    {
      name: 'pbx_modem_state',
      help: 'State of a modem line: 1 for the current state.',
      type: 'gauge',
      read: () => lines().map((line): Sample => [{ line: line.id, state: line.state }, 1]),
    },
    {
      name: 'pbx_modem_underruns_total',
      help: 'Gaps in the audio of a line because the box was too slow.',
      type: 'counter',
      read: () => lines().flatMap(({ id, underruns }): Sample[] => (underruns === undefined ? [] : [[{ line: id }, underruns]])),
    },
  ]
}
