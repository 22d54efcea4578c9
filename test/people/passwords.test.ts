/** What a password must be, how it is kept, and the codes of an authenticator app. */
import t from 'tap'
import { hashCost } from '../../daemon/base/secret-hash.ts'
import { checkPassword, isSecret, keepSecret } from '../../daemon/people/passwords.ts'
import { fromBase32, toBase32, totpCode, totpStep } from '../../daemon/people/sign-in.ts'

t.test('a password is long, uncommon and without names', async (t) => {
  const names = ['maria', 'Riverside Clinic']
  const good = ['seven green lamps over water', 'correct horse battery staple', 'ü'.repeat(3) + 'bergangszeit', 'vq8#Lm2!xTz0p']
  for (const password of good) t.doesNotThrow(() => checkPassword(password, names), password)
  const bad = [
    'short',
    'elevenchars',
    'x'.repeat(12),
    'abcabcabcabc',
    'passwordpassword',
    'password1234',
    'qwerty123456',
    'Password!!!!',
    'iloveyou20262026',
    'maria likes cheese',
    'the riverside clinic box',
    'y'.repeat(129),
  ]
  for (const password of bad) t.throws(() => checkPassword(password, names), { code: 'validation_failed' }, password)
})

t.test('what is kept opens for the same secret alone, at the full cost', async (t) => {
  const kept = await keepSecret('seven green lamps', hashCost)
  t.same(kept.cost, { N: 32_768, r: 8, p: 3 })
  t.same([await isSecret(kept, 'seven green lamps', hashCost), await isSecret(kept, 'seven green lampS', hashCost)], [true, false])
  t.notMatch(JSON.stringify(kept), /lamps/)
})

t.test('too many sign-ins at once are asked to come back', async (t) => {
  const tries = await Promise.allSettled(Array.from({ length: 14 }, () => isSecret(null, 'x', { N: 2 ** 12, r: 8, p: 1 })))
  const busy = tries.filter((one) => one.status === 'rejected')
  t.same([busy.length, busy[0]?.reason.code], [4, 'sign_in_busy'], 'two at once, eight wait')
})

t.test('codes are those of RFC 6238, appendix B', async (t) => {
  const secret = toBase32(Buffer.from('12345678901234567890'))
  t.equal(fromBase32(secret).toString(), '12345678901234567890')
  const table = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const
  for (const [seconds, code] of table) t.equal(totpCode(secret, Math.floor(seconds / 30)), code)
  const step = Math.floor(59 / 30)
  t.equal(totpStep(secret, '287082', 59_000, 0), step)
  t.equal(totpStep(secret, '287082', 89_000, 0), step, 'one step late')
  t.equal(totpStep(secret, '287082', 119_999, 0), undefined, 'two')
  t.equal(totpStep(secret, '287082', 59_000, step), undefined, 'taken already')
  t.equal(totpStep(secret, '28708', 59_000, 0), undefined)
})
