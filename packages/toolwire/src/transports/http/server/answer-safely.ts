import { codes } from '../../../jsonrpc/error.js'
import { errorText } from '../../../text/error-text.js'
import type { HttpExchange } from './http-exchange.js'
import { refuse } from './http-refusal.js'

/** Answers in any case: what fails here has failed outside of any tool, so nobody is told more than that it did. */
export function answerSafely(exchange: HttpExchange, answer: () => void | Promise<void>): void {
  try {
    answer()?.catch((thrown: unknown) => fail(exchange, thrown))
  } catch (thrown) {
    fail(exchange, thrown)
  }
}

function fail(exchange: HttpExchange, thrown: unknown): void {
  console.error(`toolwire: a request could not be answered: ${errorText(thrown)}`)
  refuse(exchange, { status: 500, code: codes.internalError, message: 'Internal error' })
}
