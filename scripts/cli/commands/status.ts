/** pbx status: one screen. */
import type { Command } from 'commander'
import { conditionsOf, type Condition } from '../../../daemon/box-events/conditions.ts'
import type { PairView, PartView, QueueView, StatusView } from '../../../daemon/schema/operation.ts'
import { severities } from '../../../daemon/schema/states.ts'
import { CommandError, exitCode } from '../client.ts'
import { finish, group, type Context } from '../command.ts'
import { age, bold, bytes, dim, duration, green, localTime, print, printJson, red, utcOffset, yellow } from '../output.ts'
import { faultsFromHere } from './doctor.ts'
import { lineTable } from './lines.ts'

export function statusCommand(): Command {
  return finish(
    group('status', 'one screen: parts, lines, calls, queues, disk, clock, and each warning with its fix').option(
      '--check',
      'exit 1 when something is wrong, for scripts and timers',
    ),
    status,
    ['pbx status', 'pbx status --check || echo look at the telephones', 'pbx status --json | jq .warnings'],
  )
}

/** With `check` 1 where something is wrong. */
async function status(context: Context, { check = false }: { check?: boolean }): Promise<number> {
  const { json, client } = context
  const view = await (await client()).get<StatusView>('/api/status').catch((error: unknown) => unreached(error, context))
  if (json) printJson(view)
  else show(view)
  return check && (problemsOf(view).length > 0 || !view.ready || view.draining) ? exitCode.failed : exitCode.done
}

/** A daemon that does not answer cannot say why: this program looks for the cause, as pbx doctor does. */
async function unreached(error: unknown, context: Context): Promise<never> {
  if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable || error.message.startsWith('no permission')) throw error
  const [fault] = await faultsFromHere(context)
  if (fault === undefined) throw error
  const { exit, code } = error
  throw new CommandError(`${error.message}; ${fault.name}: ${fault.text}`, {
    exit,
    ...(code === undefined ? {} : { code }),
    fix: fault.fix,
  })
}

/** What a person should look at, each fault once, as `pbx events` has them, the worst first. A phone that is switched off is nobody's fault. */
function conditionsIn({ parts, lines, warnings, clock }: StatusView): Condition[] {
  const now = Date.parse(clock.now)
  const declared = warnings.map(({ since, ...warning }) => ({ ...warning, since: Date.parse(since) }))
  const reports = parts.map((part) => ({ ...part, detail: part.reason, required: true }))
  const all = conditionsOf({ warnings: declared, parts: reports, lines, now }).filter(({ code }) => !code.startsWith('phone-'))
  return all.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity))
}

function problemsOf(view: StatusView): Condition[] {
  return conditionsIn(view).filter(({ severity }) => severity !== 'notice')
}

function showPair({ here, since, known, witness, machines }: PairView): void {
  section('Pair')
  if (!known) print(yellow('Pacemaker does not say how it stands'))
  for (const { name, role, fit } of machines) {
    const there = role === 'standby' && !fit ? 'standby, too old to take over' : role
    const detail = name === here ? `${role}${since === null ? '' : ` since ${localTime(since)}`}, this machine` : there
    print(`${name}: ${name === here || (role === 'standby' && fit) ? detail : red(detail)}`)
  }
  if (witness !== null) print(`witness: ${witness ? 'there' : red('away')}`)
}

function show(view: StatusView): void {
  print(headline(view))
  print(dim(`process ${view.pid} · up ${duration(view.uptimeSeconds)} · ${view.configFile ?? 'embedded default configuration'}`))
  print(dim(`web ${view.addresses.http ?? 'off'} · SIP ${view.addresses.sip.join(' ') || 'off'}`))
  if (view.pair !== undefined) showPair(view.pair)
  section('Parts')
  for (const part of view.parts) print(partLine(part))
  section('Lines')
  print(view.lines.length === 0 ? dim('none configured') : lineTable(view.lines))
  section('Work')
  print(`calls: ${view.calls.active} in progress, ${view.calls.queued} queued, ${view.calls.sinceStart} since the start`)
  const now = Date.parse(view.clock.now)
  for (const queue of view.queues) print(queueLine(queue, now))
  section('Machine')
  print(`disk:   ${bytes(view.disk.freeBytes)} free, ${bytes(view.disk.usedBytes)} used in ${view.disk.dir}`)
  print(
    `memory: daemon ${bytes(view.memory.daemonBytes)}${view.memory.engineBytes === null ? '' : `, engine ${bytes(view.memory.engineBytes)}`}`,
  )
  print(
    `clock:  ${localTime(view.clock.now)} in ${view.clock.timeZone} (${utcOffset(view.clock.now)}), ${clockState(view.clock.synchronised)}`,
  )
  const all = conditionsIn(view)
  if (all.length === 0) return
  section('Warnings')
  for (const { severity, text, fix } of all) print(`${marks[severity]} ${text}\n  ${dim('fix:')} ${bold(fix)}`)
}

/** The same as in `pbx events`. Those with · are worth knowing; the first line counts the others. */
const marks = { notice: dim('·'), warning: yellow('!'), error: red('✗') } as const

function section(title: string): void {
  print(`\n${bold(title)}`)
}

function headline(view: StatusView): string {
  const problems = problemsOf(view).length
  const count = problems === 1 ? '1 problem, see below' : `${problems} problems, see below`
  const word = view.draining
    ? yellow('stopping: no new calls')
    : view.ready
      ? problems === 0
        ? green('ready')
        : yellow('ready')
      : red('not ready')
  return `${bold(`pbxd ${view.version}`)}  ${word}${problems === 0 ? '' : `  ${red(count)}`}`
}

function partLine({ name, ok, reason }: PartView): string {
  return `${ok ? green('ok  ') : red('down')}  ${name.padEnd(10)}  ${reason}`.trimEnd()
}

function queueLine(queue: QueueView, now: number): string {
  const waiting = queue.waiting === 0 ? 'empty' : `${queue.waiting} waiting, the oldest for ${age(queue.oldestAt, now)}`
  return `${queue.name}: ${waiting}${queue.dead === 0 ? '' : red(`, ${queue.dead} given up`)}`
}

function clockState(synchronised: boolean | null): string {
  if (synchronised === null) return dim('synchronisation unknown')
  return synchronised ? 'synchronised' : yellow('not synchronised')
}
