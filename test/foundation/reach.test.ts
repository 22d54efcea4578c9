import t from 'tap'
import { createReach, type Purpose } from '../../daemon/numbers/reach.ts'
import { normaliseNumber } from '../../daemon/numbers/numbers.ts'
import { hostileInDe, hostileInGb, hostileInUs, honestInDe, honestInGb, honestInUs } from '../harness/dial-strings.ts'

const purposes: readonly Purpose[] = ['call', 'fax', 'text', 'reminder']

interface Lists {
  readonly international?: readonly string[]
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

/** Each number with what became of it: the number dialled, or ''. */
function box(country: string, { international = [], allow = [], deny = [] }: Lists = {}) {
  const reach = createReach({ site: { country }, numbers: { international, allow, deny } })
  const verdict = (text: string, purpose: Purpose = 'call') => reach.mayReach(normaliseNumber(text, country), purpose)
  return {
    verdict,
    dialled: (text: string, purpose?: Purpose) => (verdict(text, purpose).allowed ? normaliseNumber(text, country).dial : ''),
  }
}

for (const [country, lists, hostile, honest] of [
  ['US', { international: ['GB', '+4930*'] }, hostileInUs, honestInUs],
  ['GB', {}, hostileInGb, honestInGb],
  ['DE', {}, hostileInDe, honestInDe],
] as const) {
  t.test(`a box in ${country}: none of ${hostile.length} hostile strings, all of ${honest.length} honest ones`, async (t) => {
    const { dialled, verdict } = box(country, lists)
    for (const purpose of purposes) {
      t.same(
        hostile.filter((text) => dialled(text, purpose) !== ''),
        [],
      )
      t.same(
        honest.map(([text]) => [text, dialled(text, purpose)]),
        honest,
      )
    }
    t.same(
      hostile.filter((text) => verdict(text).reason === ''),
      [],
      'each with a reason',
    )
  })
}

t.test('allow permits what is closed, deny forbids what is open, and no list opens an emergency number', async (t) => {
  const { dialled } = box('US', {
    international: ['CA'],
    allow: ['+19005551234', '+88161*', '611', '*67', '911', '9911', '*67911', '+1911*', '+1312*'],
    deny: ['+12125550100', '+1310*', 'JM', '+13125550100'],
  })
  t.same(
    ['+19005551234', '+881612345678', '611', '*67', '+14165550100'].map((text) => dialled(text)),
    ['+19005551234', '+881612345678', '611', '*67', '+14165550100'],
  )
  for (const text of ['+12125550100', '+13105550100', '+18765551234', '+13125550100', '+19005551235', '411', '*69'])
    t.equal(dialled(text), '', text)
  for (const text of ['911', '112', '9911', '*67911', '+19115551234', '1911', '0112']) t.equal(dialled(text), '', text)
  t.equal(box('US', { allow: ['+44300*'] }).dialled('+443001234567'), '+443001234567')
})

t.test('who is refused learns which key would permit it', async (t) => {
  const { verdict } = box('US')
  t.match(
    verdict('+442079460000').reason,
    /^Numbers of GB are not called; numbers\.international: \["GB"\] in the configuration permits them\.$/,
  )
  t.match(verdict('+19005551234', 'fax').reason, /^Premium-rate numbers are not faxed; numbers\.allow /)
  t.match(verdict('*72', 'text').reason, /numbers\.allow/)
  t.match(verdict('911', 'reminder').reason, /^Emergency numbers are not called by programs/)
  t.notMatch(verdict('+19005551234').reason, /\d{4}/, 'and the number is not repeated where it may be logged')
})

t.test('a number that is possible and not in the plan passes at home with a mark, and not abroad', async (t) => {
  const { verdict } = box('US', { international: ['GB'] })
  t.match(verdict('+15551230001'), { allowed: true, warning: /does not have this number/, international: false })
  t.match(verdict('+12125550100'), { allowed: true, warning: '' })
  t.match(verdict('+442079460000'), { allowed: true, international: true })
  t.match(verdict('+442079'), { allowed: false })
  t.match(verdict('+443991234567'), { allowed: false })
})

t.test('the countries of +1 are each their own, and toll-free numbers belong to all', async (t) => {
  const canada = box('CA')
  t.equal(canada.dialled('+14165550100'), '+14165550100')
  t.equal(canada.dialled('+12125550100'), '')
  t.equal(canada.dialled('+18005550199'), '+18005550199')
  t.equal(box('JM').dialled('876 555 1234'), '+18765551234')
  t.equal(box('GB', { international: ['US'] }).dialled('+12129761234'), '')
  t.equal(box('GB', { international: ['US'] }).dialled('+12125550100'), '+12125550100')
})
