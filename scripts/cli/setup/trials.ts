/** The last part of `pbx setup`: everything is tried once, with a person at the terminal. It changes nothing, and any of it may be left out. */
import type { Config } from '../../../daemon/schema/config.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, dim, green, print, red } from '../output.ts'
import { asked, GivenUp } from './questions.ts'
import type { SetupStep, Trial, Verdict } from './step.ts'
import { callIn, callOut, help, page } from './trials/calls.ts'
import { copy, look, modems, phones } from './trials/house.ts'

/** In the order in which a house is tried: what is in it, what leads out of it, what looks after it. */
export function trialsOf(config: Config, steps: readonly SetupStep[]): readonly Trial[] {
  return [
    ...phones(config),
    ...modems(config),
    ...callOut(config),
    ...callIn(config),
    ...help(config),
    ...page(config),
    ...steps.flatMap((step) => step.trials(config)),
    ...copy(config),
    look,
  ]
}

interface Count {
  passed: number
  ran: number
}

/** Whether all that was tried went well, and nobody broke it off. */
export async function tryAll(context: Context, trials: readonly Trial[]): Promise<boolean> {
  const count: Count = { passed: 0, ran: 0 }
  print(dim('You can skip each test. Ctrl-C ends the tests; the configuration stays in use.'))
  try {
    for (const [at, trial] of trials.entries()) {
      print(`\n${bold(`${at + 1}/${trials.length} ${trial.name}`)}`)
      await untilWell(context, trial, count)
    }
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error
    summary(count, trials.length)
    print('ended here; the configuration stays in use')
    return false
  }
  summary(count, trials.length)
  return count.passed === count.ran
}

function summary({ passed, ran }: Count, all: number): void {
  const left = all - ran
  const text = `${passed} of ${ran} ${ran === 1 ? 'test' : 'tests'} passed${left === 0 ? '' : `, ${left} skipped`}`
  print(`\n${bold(passed === ran ? green(text) : red(text))}`)
}

/** A repaired fault can be tested again; the last result counts. */
async function untilWell(context: Context, trial: Trial, count: Count): Promise<void> {
  for (let first = true; ; first = false) {
    const answer = trial.ask === undefined ? '' : await asked((questions) => trial.ask!(questions))
    if (answer === null) {
      if (first) print(dim('skipped'))
      return
    }
    if (first) count.ran++
    const verdict = await ran(context, trial, answer, count)
    const text = verdict.text ?? trial.name
    if (verdict.ok) {
      count.passed++
      return print(`${green('✓')} ${text}`)
    }
    print(`${red('✗')} ${text}\n  ${dim('fix:')} ${verdict.fix}`)
    if (!(await asked((questions) => questions.yes('Try again?', false)))) return
  }
}

/** Between the questions the terminal is the program's that runs, and Ctrl-C would end it without a word. */
async function ran(context: Context, trial: Trial, answer: string, { passed, ran: many }: Count): Promise<Verdict> {
  const giveUp = (): void => {
    print(`\n${passed} of ${many} tests passed; ended here. The configuration stays in use.`)
    process.exit(exitCode.failed)
  }
  process.on('SIGINT', giveUp)
  try {
    return await trial.run(context, answer)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { ok: false, text: error.message, fix: error.fix || 'pbx doctor' }
  } finally {
    process.off('SIGINT', giveUp)
  }
}
