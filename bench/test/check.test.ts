import { expect, it } from 'vitest'
import { checker } from '../src/check.js'
import { add } from '../src/wire.js'

const answer = (id: number, sum: number) => `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"sum":${sum}}}}`

it('accepts the first right answer and later ones', () => {
  const check = checker(add)
  for (const id of [1, 2, 3]) expect(() => check(answer(id, 42), id)).not.toThrow()
})

it('refuses a wrong value, even after right ones', () => {
  const check = checker(add)
  check(answer(1, 42), 1)
  expect(() => check(answer(2, 43), 2)).toThrow('was answered with')
})

it('refuses the answer to another call', () => {
  const check = checker(add)
  check(answer(1, 42), 1)
  expect(() => check(answer(2, 42), 3)).toThrow('was answered with')
})

it('refuses an error', () => {
  expect(() => checker(add)('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}', 1)).toThrow('was answered with')
})
