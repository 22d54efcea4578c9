/** The questions of `pbx setup`, each with what most would answer. */
import { existsSync, readFileSync } from 'node:fs'
import { probe, serialDevices } from '../../../drivers/modem/probe.ts'
import { readAddress } from '../../../daemon/base/mail-address.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { bold, dim, print, yellow } from '../output.ts'
import { networkChoices } from '../../../daemon/setup/address.ts'
import {
  isCountry,
  isTimeZone,
  numberPattern,
  providers,
  type Answers,
  type Provider,
  type ProviderName,
} from '../../../daemon/setup/answers.ts'
import { askFax, askHours, askNotices, askPhoneOff } from './office.ts'
import { asked, type Fits, type Questions } from './questions.ts'
import type { SetupStep } from './step.ts'

/** @throws CommandError where nobody can be asked. */
export function refuseWithoutPerson({ json }: Context, fix = 'pbx setup --answers FILE'): void {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandError('there is no terminal to ask questions on', { exit: exitCode.usage, fix })
}

export async function ask(steps: readonly SetupStep[]): Promise<unknown> {
  print('Enter accepts the value in brackets. Ctrl-C stops; nothing is changed before the end.\n')
  return asked(async (questions) => {
    print(bold('The site'))
    const site = await askSite(questions)
    const network = await askNetwork(questions)
    print(bold('\nThe provider'))
    const provider: { provider?: ProviderAnswers } = (await questions.yes('Is there a SIP provider?', true))
      ? { provider: await askProvider(questions) }
      : {}
    print(bold('\nPhones'))
    const extensions = await askExtensions(questions)
    const lines = await askLines(questions)
    print(bold('\nThe office'))
    const numbers = provider.provider?.numbers ?? []
    const office = { ...(await askHours(questions)), ...(await askFax(questions, numbers)), ...(await askPhoneOff(questions)) }
    const further: object[] = []
    for (const step of steps) {
      print(bold(`\n${step.heading}`))
      further.push(await step.ask(questions))
    }
    const all = Object.assign({ site, network, ...provider, extensions, ...lines, ...office }, ...further) as { mail?: { from: string } }
    if (all.mail === undefined) return all
    const sender = readAddress(all.mail.from)
    return { ...all, ...(await askNotices(questions, typeof sender === 'string' ? '' : sender.address)) } as unknown
  })
}

/** After a refusal: its part alone, with what was answered before. Null: not again. */
export async function askProviderAgain(before: NonNullable<Answers['provider']>): Promise<NonNullable<Answers['provider']> | null> {
  return asked(async (questions) =>
    (await questions.yes('Try again with other answers about the provider?', true)) ? askProvider(questions, before) : null,
  )
}

const country: Fits = (answer) =>
  isCountry(answer.toUpperCase()) ? null : 'give the two letters of a country, such as US for the United States'
const zoneFits: Fits = (answer) => (isTimeZone(answer) ? null : 'give a time zone such as America/New_York')
const oneNumber: Fits = (answer) =>
  new RegExp(`^${numberPattern}$`).test(answer) ? null : 'give the number with + and country code, without spaces, such as +15550001000'
const severalNumbers: Fits = (answer) =>
  new RegExp(`^${numberPattern}( +${numberPattern})*$`).test(answer)
    ? null
    : 'give each number with + and country code, without spaces in it, such as +15550001000'
const between =
  (least: number, most: number): Fits =>
  (answer) =>
    /^\d+$/.test(answer) && Number(answer) >= least && Number(answer) <= most ? null : `give a number from ${least} to ${most}`

async function askSite(questions: Questions) {
  const zone = existsSync('/etc/timezone') ? readFileSync('/etc/timezone', 'utf8').trim() : Intl.DateTimeFormat().resolvedOptions().timeZone
  const name = await questions.text('Name of the site:')
  const code = (await questions.text('Country, two letters:', 'US', country)).toUpperCase()
  const timeZone = await questions.text('Time zone:', zone, zoneFits)
  const address = await questions.optional('Street and floor, for emergency calls:')
  return { name, country: code, timeZone, ...(address === '' ? {} : { address }) }
}

async function askNetwork(questions: Questions): Promise<string> {
  const choice = networkChoices()
  const [usual = ''] = choice
  if (choice.length === 1) {
    print(dim(`  this is a machine of a pair: phones and browsers reach its box at ${usual}`))
    return usual
  }
  if (usual === 'all') print(yellow('  this machine has no network: only programs on this machine can reach it'))
  return questions.text("This machine's address for phones and browsers:", usual === 'all' ? 'none' : usual, (answer) =>
    choice.includes(answer) ? null : `give ${choice.slice(0, -1).join(', ')} or none`,
  )
}

type ProviderAnswers = NonNullable<Answers['provider']>

/** `before`: what was answered to the same questions, which Enter keeps. */
async function askProvider(questions: Questions, before?: ProviderAnswers): Promise<ProviderAnswers> {
  const names = Object.keys(providers) as ProviderName[]
  for (const [at, name] of names.entries()) print(`  ${at + 1}  ${providers[name].title}`)
  const usual = String(before === undefined ? 1 : names.indexOf(before.kind) + 1)
  const kind = names[Number(await questions.text('Which?', usual, between(1, names.length))) - 1]!
  const kept = before?.kind === kind ? before : undefined
  const template: Provider = providers[kind]
  const place =
    template.server === undefined
      ? {
          server: await questions.text('SIP server of the provider:', kept?.server),
          transport: (await questions.text(
            'Transport (udp, tcp or tls):',
            kept?.transport ?? template.transport,
            /^(udp|tcp|tls)$/,
          )) as 'udp',
        }
      : {}
  const account = template.register
    ? {
        username: await questions.text('Account name:', kept?.username),
        password: await questions.password('Password:', kept?.password),
      }
    : {}
  const numbers = await questions.text(
    'Your numbers, such as +15550001000, separated by spaces:',
    before?.numbers.join(' '),
    severalNumbers,
  )
  return { kind, ...place, ...account, numbers: numbers.split(/ +/) }
}

async function askExtensions(questions: Questions) {
  const many = Number(await questions.text('How many phones?', '4', between(1, 99)))
  const first = Number(await questions.text('Number of the first phone:', '101', between(10, 99_900)))
  const extensions: { number: string; name: string }[] = []
  for (let number = first; number < first + many; number++) {
    extensions.push({
      number: String(number),
      name: await questions.text(`Name of ${number}:`, number === first ? 'Front desk' : `Phone ${number}`),
    })
  }
  return extensions
}

async function askLines(questions: Questions) {
  const devices = serialDevices()
  if (devices.length > 0) print(bold('\nModems'))
  const lines: { device: string; number: string; roles: readonly string[] }[] = []
  for (const device of devices) {
    const { kind, roles, identification, dialTone } = await probe(device)
    if (kind !== 'modem' || roles.length === 0) continue
    print(`  ${device}\n  ${identification.slice(0, 2).join(', ')}${dialTone === 'none' ? yellow(', no dial tone') : ''}`)
    const number = await questions.optional('Telephone number of its line, such as +15550001999:', oneNumber)
    if (number !== '') lines.push({ device, number, roles })
  }
  return lines.length === 0 ? {} : { lines }
}
