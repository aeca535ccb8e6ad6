import { expect, it } from 'vitest'
import { AnswerReader, answerEvent } from '../src/http-answer.js'

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

function readInPieces(text: string, size: number): (string | undefined)[] {
  const reader = new AnswerReader()
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  return pieces.map((piece) => reader.push(piece))
}

it.each([1, 7, 1000])('reads an answer with a length in pieces of %i bytes', (size) => {
  const answers = readInPieces(`${head}Content-Length: 9\r\n\r\n{"id":12}`, size)
  expect(answers.at(-1)).toBe('{"id":12}')
  expect(answers.slice(0, -1).every((answer) => answer === undefined)).toBe(true)
})

it.each([1, 7, 1000])('reads a chunked answer in pieces of %i bytes', (size) => {
  const answers = readInPieces(`${head}Transfer-Encoding: chunked\r\n\r\n4\r\n{"id\r\n5\r\n":12}\r\n0\r\n\r\n`, size)
  expect(answers.at(-1)).toBe('{"id":12}')
  expect(answers.slice(0, -1).every((answer) => answer === undefined)).toBe(true)
})

it('reads several answers on one connection', () => {
  const reader = new AnswerReader()
  const answer = (id: number) => Buffer.from(`${head}Content-Length: 8\r\n\r\n{"id":${id}}`)
  expect([reader.push(answer(1)), reader.push(answer(2))]).toEqual(['{"id":1}', '{"id":2}'])
})

it('takes the answer from an event stream, and skips the notifications before it', () => {
  expect(answerEvent('event: message\ndata: {"method":"x"}\n\ndata: {"id":1,"result":{}}\n\n')).toBe('{"id":1,"result":{}}')
})

it('refuses an answer that is not a 200', () => {
  expect(() => readInPieces('HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone', 1000)).toThrow('HTTP 404: gone')
})
