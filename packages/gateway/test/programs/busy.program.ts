// Writes records and approvals as fast as it can, and prints the acknowledged ones.
import { openStore } from '../../src/store/open-store.js'
import { asked } from '../support/approval-requests.js'
import { say, writeRecords } from './write-records.js'

const [, , directory = '', worker = ''] = process.argv
const began = performance.now()
const store = await openStore(directory, { worker: new URL(worker) })
say('ready', Math.round(performance.now() - began))

async function approvals(): Promise<never> {
  for (;;) {
    const one = asked({ held: false, caller: `${process.pid}` })
    await store.approvals.add(one, 100)
    say('added', one.id)
    if (await store.approvals.decide(one.id, 'allow')) say('decided', one.id)
    if (await store.approvals.release(one.id, one.digest)) say('released', one.id)
  }
}

await Promise.all([approvals(), ...Array.from({ length: 8 }, (_, lane) => writeRecords(store, lane))])
