// Logins whose people have gone to a page and not come back yet.
import { type LoginBegun, LoginFailure } from '../../door/logins.js'
import { type Flow, patienceMs } from './flow.js'
import type { KeptLogin } from './kept.js'
import type { Whose } from './words.js'

export type UnderWay = {
  readonly whose: Whose
  /** Who has begun it. */
  readonly by: string
  readonly flow: Flow
  readonly begun: LoginBegun
  /** What is kept of it if it succeeds. */
  readonly kept: KeptLogin
}

const most = 32

export class LoginsUnderWay {
  readonly #all = new Map<string, UnderWay>()

  checkRoom(): void {
    if (this.#all.size >= most)
      throw new LoginFailure('failed', `${most} logins are under way already; end one of them, or wait a few minutes`)
  }

  add(one: UnderWay): void {
    const { login } = one.begun
    this.#all.set(login, one)
    setTimeout(() => this.#giveUp(login), patienceMs).unref()
  }

  /** It is good once, however it ends. */
  take(login: string, by: string): UnderWay {
    const one = this.#all.get(login)
    if (one?.by !== by)
      throw new LoginFailure('unknown', 'No such login is under way; it has ended, or took too long. Begin another one.')
    this.#all.delete(login)
    return one
  }

  close(): void {
    for (const login of this.#all.keys()) this.#giveUp(login)
  }

  #giveUp(login: string): void {
    this.#all.get(login)?.flow.cancel()
    this.#all.delete(login)
  }
}
