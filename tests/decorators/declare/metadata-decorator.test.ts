/** Decorators of an application: what `providersWith` finds by them, and where they may stand. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Get, metadataDecorator } from 'alcove'
import { keyOfDecorator } from '../../../decorators/declare/metadata-decorator.js'
import { messagesOf } from '../../fixtures/applications.js'
import { builds } from '../../fixtures/both-builds.js'
import * as ownDecorators from '../../fixtures/standard/metadata-decorator.js'

for (const { name, load } of builds) {
  describe(`a decorator of the application, with ${name}`, () => {
    let fixture: typeof ownDecorators
    before(async () => (fixture = await load('metadata-decorator', ownDecorators)))

    test('finds instances of its context and of those below, in the order of the tree, by methods that may be inherited', async () => {
      const { App, Outer, Inner, Sibling } = await fixture.findAll()
      const jobs = (path: string) =>
        ['inherited inherited', 'overridden kept', 'cleanUp upper', 'cleanUp lower', 'replaced own'].map((text) => `${path}.${text}`)
      const inner = ['Mails.send mail', 'Pages.refresh page', 'Guard.preHandler guard'].map((text) => `App > Outer > Inner > ${text}`)
      const ofInner = [inner[0], 'App > Outer > Inner.tick inner', ...inner.slice(1)]
      const ofOuter = [...jobs('App > Outer > Jobs'), 'App > Outer > Reports.print report', ...ofInner]
      assert.deepEqual(Inner!.crons, ofInner)
      assert.deepEqual(Outer!.crons, ofOuter)
      assert.deepEqual(Sibling!.crons, jobs('App > Sibling > MoreJobs'))
      assert.deepEqual(App!.crons, [...ofOuter, ...jobs('App > Sibling > MoreJobs')])
    })

    test('stands above classes too, also without a value, and holds for their subclasses', async () => {
      const { App, Inner } = await fixture.findAll()
      assert.deepEqual(Inner!.listeners, [[undefined, undefined, 'App > Outer > Inner > Guard']])
      assert.deepEqual(App!.listeners, [
        [undefined, undefined, 'App > Outer > Jobs'],
        [undefined, undefined, 'App > Outer > Inner > Guard'],
        [undefined, undefined, 'App > Sibling > MoreJobs'],
      ])
    })

    test('is a fault where nothing would find it', () => {
      const stands =
        'It stands above a class that a plugin lists as provider, route or hook, above a plugin, or above a method of one of these.'
      const unfindable = (owner: string) =>
        `but providersWith would not find it: each ${owner} has an instance of its own. Write @Cron in a class that lives as long as its context.`
      assert.deepEqual(messagesOf(fixture.faulty).toSorted(), [
        `Faulty > Each.run has @Cron, ${unfindable('injection')}`,
        `Faulty > Handles.handle has @Cron, ${unfindable('request')}`,
        'Faulty > Misplaced.missing has @Cron with undefined, often because of a circle of imports. Declare what it names before the class.',
        `Faulty > Misplaced.now has @Cron, which has no effect there: it is a getter or a setter, not a method. ${stands}`,
        `Faulty > Misplaced.tick has @Cron, which has no effect there: it is a static member. ${stands}`,
        `Faulty > Model has @Cron, which has no effect there: the class is a shared schema. ${stands}`,
        `Faulty > Substituted.send has @Cron, ${unfindable('request')}`,
        `Faulty > Tx has @Cron, ${unfindable('request')}`,
        `Faulty > Tx.run has @Cron, ${unfindable('request')}`,
      ])
    })
  })
}

test('only decorators that metadataDecorator returned can be asked for', () => {
  const Cron = metadataDecorator<string>('Cron')
  assert.equal(Cron.name, 'Cron')
  assert.equal(keyOfDecorator(Cron).decorator, '@Cron')
  for (const given of [Cron('0 3 * * *'), Get, 'Cron', undefined])
    assert.throws(() => keyOfDecorator(given), {
      name: 'TypeError',
      message: 'providersWith takes a decorator that metadataDecorator() returned, without calling it.',
    })
})
