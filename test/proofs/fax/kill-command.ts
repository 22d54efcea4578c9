/** `fax-study kill`: its options, a line for each round, the table at the end. */
import { appendFileSync } from 'node:fs'
import { kill } from './kill.ts'
import { summary } from './kill-judge.ts'

/** The command: reports each round as it ends; gives the exit status. */
export async function kills(values: {
  rounds: string
  pairs: string
  minutes?: string | undefined
  over: string
  out?: string | undefined
}): Promise<number> {
  const began = Date.now()
  if (values.over !== 'sip' && values.over !== 'lines') throw new Error('--over is sip or lines')
  const rounds = await kill({
    rounds: Number(values.rounds),
    pairs: Number(values.pairs),
    over: values.over,
    until: began + Number(values.minutes ?? '60') * 60_000,
    onRound: (one) => {
      if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(one)}\n`)
      const { round, transport, victim, moment, struck, pages, status, attempts, seconds, faults } = one
      console.log(
        `${String(round).padStart(4)} ${transport} ${victim} at ${moment} (${struck}): ${status}, ${pages} pages, ${attempts} calls, ${seconds} s`,
      )
      for (const fault of faults) console.log(`     FAULT ${fault}`)
    },
  })
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`\n${rounds.length} rounds, ${values.pairs} pairs of daemons, ${seconds} s\n\n${summary(rounds)}`)
  const bad = rounds.filter((one) => one.faults.length > 0)
  const text =
    bad.length === 0 ? 'nothing lost, nothing twice that was not named' : `faults in rounds ${bad.map((one) => one.round).join(' ')}`
  console.log(text)
  return bad.length === 0 ? 0 : 1
}
