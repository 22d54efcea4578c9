/** The rules of a gather, as the threads of other platforms' users taught them (jambonz-feature-server unless named). */
import t from 'tap'
import { finalMs, hangupFinalMs, maxFalseAlarms } from '../../daemon/voice/collect.ts'
import { both, four, menu, Run, speechOnly } from './gather-run.ts'

t.test('a menu key ends at once, also when it is # or *', async (t) => {
  for (const key of ['1', '#', '*', 'a']) {
    const run = new Run(menu).wait(200).keys(key)
    t.match(run.result, { reason: 'digits', digits: key.toUpperCase(), bargeIn: false, durationMs: 200 })
  }
})

t.test('#1306: with some of the keys the gather ends interDigitTimeout after the last one, with what was pressed', async (t) => {
  const run = new Run(four).wait(4900).keys('1').wait(2900).keys('2').wait(10_000)
  t.match(run.result, { reason: 'timeout', digits: '12' })
  t.equal(run.endedAfter, 4900 + 2900 + 3000)
})

t.test('#534: the first key stops the wait for input for good', async (t) => {
  const run = new Run({ ...four, interDigitMs: 20_000 }).wait(4999).keys('1').wait(19_000)
  t.equal(run.result, undefined, 'the wait of 5 s does not come back')
  t.match(run.keys('234').result, { reason: 'digits', digits: '1234' })
})

t.test('#107: without numDigits a pause is the normal end', async (t) => {
  t.match(new Run({}).keys('5551').wait(3000).result, { reason: 'digits', digits: '5551' })
  t.match(new Run({ minDigitsBeforePause: 3 }).keys('55').wait(3000).result, { reason: 'timeout', digits: '55' })
  t.match(new Run({ minDigitsBeforePause: 3 }).keys('555').wait(3000).result, { reason: 'digits', digits: '555' })
})

t.test('#597: no input at all ends after timeout, and always tells', async (t) => {
  const run = new Run(four).wait(4999)
  t.equal(run.result, undefined)
  t.match(run.wait(1).result, { reason: 'timeout', digits: '', speech: '', durationMs: 5000 })
  t.notOk('finishKey' in run.result!)
})

t.test('the wait begins when the last sample of the prompts was played', async (t) => {
  const run = new Run(four, { prompts: true })
  t.same(run.effects, ['start-prompts'])
  t.equal(run.wait(60_000).result, undefined)
  t.equal(run.promptsFinished().wait(5000).endedAfter, 65_000)
})

t.test('timeout 0 ends with the prompts', async (t) => {
  t.match(new Run({ timeoutMs: 0 }).result, { reason: 'timeout' })
  const run = new Run({ timeoutMs: 0 }, { prompts: true }).wait(3000).promptsFinished()
  t.match(run.result, { reason: 'timeout', durationMs: 3000 })
  t.match(new Run({ timeoutMs: 0 }, { prompts: true }).keys('1').wait(1000).keys('2').wait(3000).result, { digits: '12', bargeIn: true })
})

t.test('the finish key ends the input and is told, but is not part of it', async (t) => {
  t.match(new Run({}).keys('12#').result, { reason: 'digits', digits: '12', finishKey: '#' })
  t.match(new Run({}).keys('#').result, { reason: 'digits', digits: '', finishKey: '#' })
  t.match(new Run(four).keys('12#').result, { reason: 'digits', digits: '12', finishKey: '#' }, 'also before numDigits')
  t.match(new Run({ finishKeys: '*#' }).keys('1*').result, { digits: '1', finishKey: '*' })
  t.match(new Run({ ...four, finishKeys: '' }).keys('1#*2').result, { digits: '1#*2' })
})

t.test('a finish key before minDigits is not taken, and the time goes on', async (t) => {
  const run = new Run({ minDigitsBeforeFinish: 3, minDigitsBeforePause: 3 }).keys('1#2').wait(2000).keys('#')
  t.equal(run.result, undefined)
  t.match(run.wait(1000).result, { reason: 'timeout', digits: '12' })
  t.match(new Run({ minDigitsBeforeFinish: 3 }).keys('123#').result, { digits: '123', finishKey: '#' })
})

t.test('#282, #382: barge-in is as this gather says', async (t) => {
  const interrupted = new Run(four, { prompts: true }).wait(500).keys('1')
  t.same(interrupted.effects, ['start-prompts', 'stop-prompts', 'set-deadline'])
  t.match(interrupted.keys('234').result, { digits: '1234', bargeIn: true })

  const deaf = new Run({ ...four, keysInterrupt: false }, { prompts: true }).keys('12')
  t.same(deaf.effects, ['start-prompts'])
  t.match(deaf.promptsFinished().keys('3456').result, { digits: '3456', bargeIn: false }, 'dropped without typeAhead')

  const patient = new Run({ ...four, keysInterrupt: false, typeAhead: true }, { prompts: true }).keys('12')
  t.equal(patient.result, undefined)
  t.match(patient.promptsFinished().keys('34').result, { digits: '1234', bargeIn: false }, 'kept with typeAhead')

  const mute = new Run({ ...both, speechInterrupts: false }, { prompts: true }).input({ type: 'speech-onset' })
  t.same(mute.effects, ['start-prompts'], 'nobody listens before the prompts are over')
  t.same(mute.promptsFinished().effects.slice(1), ['set-deadline', 'start-recogniser'])
})

t.test('twilio-python #913: keys count also without any prompt, and speech without keys', async (t) => {
  t.match(new Run(four).keys('1234').result, { digits: '1234' })
  t.match(new Run(speechOnly).keys('1').input({ type: 'speech-final', text: 'yes' }).result, {
    reason: 'speech',
    digits: '',
    speech: 'yes',
  })
})

t.test('a key that is not taken still ends the prompts and starts the wait', async (t) => {
  const run = new Run({ minDigitsBeforeFinish: 2 }, { prompts: true }).wait(1000).keys('#')
  t.same(run.effects, ['start-prompts', 'stop-prompts', 'set-deadline'])
  t.equal(run.wait(5000).endedAfter, 6000)
})

t.test('keys typed while the application was thinking', async (t) => {
  const whole = new Run({ ...four, typeAhead: true }, { prompts: true, keysBefore: '1234' })
  t.match(whole.result, { reason: 'digits', digits: '1234', durationMs: 0 })
  t.notOk(whole.effects.includes('start-prompts'), 'the prompts are not even begun')
  const rest = new Run({ ...menu, typeAhead: true }, { keysBefore: '123' })
  t.match(rest.result, { digits: '1', unusedKeys: '23' }, 'the rest belongs to the next gather')
  const partial = new Run({ ...four, typeAhead: true }, { prompts: true, keysBefore: '12' })
  t.same(partial.effects.includes('start-prompts'), false)
  t.match(partial.keys('34').result, { digits: '1234', bargeIn: true })
  t.match(new Run(four, { keysBefore: '1234' }).wait(5000).result, { digits: '' }, 'dropped without typeAhead')
  const early = new Run({ minDigitsBeforeFinish: 2, typeAhead: true }, { prompts: true, keysBefore: '#' })
  t.same(early.effects, ['start-prompts'], 'a finish key too early does not cost the prompts')
})

t.test('#552: the first key stops speech recognition, and what it hears later is dropped', async (t) => {
  const run = new Run({ ...four, ...both })
    .input({ type: 'speech-onset' })
    .wait(300)
    .input({ type: 'speech-partial', text: 'on' })
    .keys('1')
  t.ok(run.effects.includes('stop-recogniser'))
  run.input({ type: 'speech-final', text: 'one two', confidence: 0.9 })
  t.equal(run.result, undefined)
  t.match(run.keys('234').result, { reason: 'digits', digits: '1234', speech: '' })
})

t.test('#777: speech that began in time is not cut by the wait for input', async (t) => {
  const run = new Run(both).wait(4900).input({ type: 'speech-onset' }).wait(10_000)
  t.equal(run.result, undefined)
  run.input({ type: 'speech-final', text: ' I would like to see a doctor ', confidence: 0.8, language: 'en-US' })
  t.match(run.result, { reason: 'speech', speech: 'I would like to see a doctor', confidence: 0.8, language: 'en-US', durationMs: 14_900 })
})

t.test('#800: speech that does not end is cut at speechTimeout, and a recogniser that stays silent ends nothing late', async (t) => {
  const run = new Run(both).wait(1000).input({ type: 'speech-onset' }).wait(15_000)
  t.equal(run.effects.at(-2), 'finish-recogniser')
  t.match(run.input({ type: 'speech-final', text: 'long story' }).result, { reason: 'speech', speech: 'long story' })

  const silent = new Run(both).wait(1000).input({ type: 'speech-onset' }).input({ type: 'speech-partial', text: 'long st' }).wait(60_000)
  t.match(silent.result, { reason: 'speech', speech: 'long st' })
  t.equal(silent.endedAfter, 1000 + 15_000 + finalMs)
  t.match(new Run(both).input({ type: 'speech-onset' }).wait(60_000).result, { reason: 'no-match', speech: '' })
})

t.test('sound without words is no-match', async (t) => {
  t.match(new Run(both).input({ type: 'speech-onset' }).wait(900).input({ type: 'speech-final', text: ' ' }).result, { reason: 'no-match' })
})

t.test('speech cuts the prompts; a false alarm resumes them from the cut', async (t) => {
  const run = new Run(both, { prompts: true }).wait(640).input({ type: 'speech-onset' })
  t.same(run.effects, ['start-prompts', 'start-recogniser', 'stop-prompts', 'set-deadline'])
  run.wait(60).input({ type: 'speech-false-alarm' })
  t.same(run.effects.slice(4), ['clear-deadline', 'resume-prompts'])
  t.equal(run.wait(30_000).result, undefined, 'the prompts play: nothing runs out')
  t.match(run.promptsFinished().wait(5000).result, { reason: 'timeout', bargeIn: false })

  const cough = new Run(both, { prompts: true }).input({ type: 'speech-false-alarm' })
  t.same(cough.effects, ['start-prompts', 'start-recogniser'], 'a cough too short for an onset')
  t.match(new Run(both, { prompts: true }).input({ type: 'speech-onset' }).input({ type: 'speech-final', text: 'yes' }).result, {
    speech: 'yes',
    bargeIn: true,
  })
})

t.test('a noisy line cuts the prompts a few times only, but words still count', async (t) => {
  const run = new Run(both, { prompts: true })
  for (let alarm = 0; alarm < maxFalseAlarms; alarm++) run.input({ type: 'speech-onset' }).wait(200).input({ type: 'speech-false-alarm' })
  const before = run.effects.length
  run.input({ type: 'speech-onset' })
  t.equal(run.effects.length, before)
  t.match(run.input({ type: 'speech-final', text: 'reception' }).result, { reason: 'speech', speech: 'reception', bargeIn: true })
})

t.test('a false alarm while waiting does not prolong the wait', async (t) => {
  const run = new Run(both).wait(4000).input({ type: 'speech-onset' }).wait(250).input({ type: 'speech-false-alarm' }).wait(60_000)
  t.equal(run.endedAfter, 5000)
  const late = new Run(both).wait(4900).input({ type: 'speech-onset' }).wait(250).input({ type: 'speech-false-alarm' })
  t.match(late.result, { reason: 'timeout', durationMs: 5150 })
})

t.test('without a recogniser the keys still work', async (t) => {
  t.match(new Run({ ...four, ...both }).input({ type: 'recogniser-error' }).keys('1234').result, { reason: 'digits', digits: '1234' })
  t.match(new Run({ ...four, ...both }).input({ type: 'recogniser-error' }).wait(5000).result, { reason: 'error' })
  t.match(new Run({ ...four, ...both }).input({ type: 'recogniser-error' }).keys('1').wait(3000).result, { reason: 'timeout', digits: '1' })
  t.match(new Run(speechOnly, { prompts: true }).wait(100).input({ type: 'recogniser-error' }).result, { reason: 'error', durationMs: 100 })
  const lost = new Run({ ...four, ...both }).wait(4000).input({ type: 'speech-onset' }).wait(2000).input({ type: 'recogniser-error' })
  t.match(lost.wait(4000).keys('1234').result, { digits: '1234' }, 'who was speaking gets the time to press keys instead')
})

t.test('hang-up delivers what was collected so far', async (t) => {
  t.match(new Run(four).keys('12').input({ type: 'hangup' }).result, { reason: 'hangup', digits: '12' })
  t.match(new Run({ ...four, keysInterrupt: false, typeAhead: true }, { prompts: true }).keys('12#').input({ type: 'hangup' }).result, {
    reason: 'hangup',
    digits: '12',
  })
  const run = new Run({ ...four, ...both }, { prompts: true }).input({ type: 'hangup' })
  t.same(run.effects, ['start-prompts', 'start-recogniser', 'stop-prompts', 'stop-recogniser', 'done'])
})

t.test('who hangs up in the middle of a word has said it: the recogniser is asked, and not waited for long', async (t) => {
  const speaking = () => new Run({ ...four, ...both }).wait(100).input({ type: 'speech-onset' }).wait(400)
  const gone = speaking().input({ type: 'hangup' })
  t.same(gone.effects.slice(-2), ['finish-recogniser', 'set-deadline'])
  gone.keys('1234').input({ type: 'speech-onset' }).input({ type: 'hangup' }).promptsFinished()
  t.equal(gone.result, undefined, 'nothing but the recogniser counts now')
  gone.wait(200).input({ type: 'speech-final', text: ' my name ', confidence: 0.7, engine: 'ear' })
  t.match(gone.result, { reason: 'hangup', speech: 'my name', confidence: 0.7, engine: 'ear', digits: '' })

  const silent = speaking().input({ type: 'hangup' }).input({ type: 'speech-partial', text: 'my na' }).wait(10_000)
  t.match(silent.result, { reason: 'hangup', speech: 'my na', engine: '' })
  t.equal(silent.endedAfter, 500 + hangupFinalMs)
  t.match(speaking().input({ type: 'hangup' }).input({ type: 'speech-false-alarm' }).result, { reason: 'hangup', speech: '' })
  t.match(speaking().input({ type: 'hangup' }).input({ type: 'recogniser-error' }).result, { reason: 'hangup', speech: '' })

  const finalising = speaking().wait(15_000).input({ type: 'hangup' })
  t.equal(finalising.effects.filter((effect) => effect === 'finish-recogniser').length, 1, 'it was asked already')
  t.match(new Run(both).input({ type: 'hangup' }).result, { reason: 'hangup', speech: '' }, 'who was silent is not waited for')
})

t.test('a gather with speech names the recogniser that answered, or none', async (t) => {
  t.match(new Run(both).input({ type: 'speech-onset' }).input({ type: 'speech-final', text: '', engine: 'ear' }).result, {
    reason: 'no-match',
    engine: 'ear',
  })
  t.match(new Run(both).wait(5000).result, { reason: 'timeout', engine: '' })
  t.notOk('engine' in new Run(four).wait(5000).result!)
})

t.test('nothing is taken after the end, and a timer that fires early is not one', async (t) => {
  const run = new Run(menu).keys('1')
  const count = run.effects.length
  run.keys('2').input({ type: 'hangup' }).input({ type: 'timer' }).input({ type: 'speech-final', text: 'x' })
  t.equal(run.effects.length, count)
  t.equal(new Run(menu).wait(100).input({ type: 'timer' }).result, undefined)
})

t.test('a clock that goes back does no harm', async (t) => {
  const run = new Run(four).wait(1000).keys('1')
  run.at -= 500
  t.equal(run.keys('2').state.deadline, 2000 + 3000, 'the time of the last input counts')
  t.match(run.wait(10_000).result, { reason: 'timeout', digits: '12', durationMs: 4000 })
})
