import type { JsonObject } from '../../json.js'
import type { Conversation } from '../../peer/conversation.js'
import type { ReplyChannel } from '../../peer/reply-channel.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { ToolError } from '../../tools/result.js'
import { type Elicitor, type InputRequest, maxQuestions, tooManyQuestions } from '../questions/elicitor.js'
import { noResponseError } from '../questions/request-elicitor.js'
import type { RunningTask } from './running-task.js'

type Route = { readonly reply: () => ReplyChannel | undefined; readonly timeoutMs: number }

/** Asks questions of a task as requests: to the client that waits for the result, or else to the session. */
export class TaskElicitor implements Elicitor {
  readonly #task: RunningTask
  readonly #conversation: Conversation
  readonly #route: Route
  #asked = 0
  #open = 0

  constructor(task: RunningTask, conversation: Conversation, route: Route) {
    this.#task = task
    this.#conversation = conversation
    this.#route = route
  }

  get effects() {
    return this.#task.effects
  }

  async ask(key: string, { method, params }: InputRequest): Promise<JsonObject> {
    if (++this.#asked > maxQuestions) throw tooManyQuestions()
    const { taskId } = this.#task.record
    this.#open++
    await this.#task.become('input_required')
    try {
      return await this.#conversation.outgoing.ask(
        method,
        { ...params, _meta: { [metaKeys.relatedTask]: { taskId }, [metaKeys.question]: key } },
        { send: (message) => this.#send(message), signal: this.#task.incoming.signal, timeoutMs: this.#route.timeoutMs },
      )
    } catch (thrown) {
      throw noResponseError(thrown, method)
    } finally {
      if (--this.#open === 0) await this.#task.become('working')
    }
  }

  again(key: string, question: InputRequest): Promise<JsonObject> {
    return this.ask(key, question)
  }

  /** Over the line of a waiting tasks/result if there is one; else wherever unsolicited messages go; else as soon as one waits. */
  #send(message: string): void {
    const reply = this.#route.reply()
    if (reply) reply.send(message)
    else if (!this.#conversation.push(message)) this.#task.replyOpened = () => this.#resend(message)
  }

  #resend(message: string): void {
    const reply = this.#route.reply()
    if (!reply?.twoWay) throw new ToolError('This task has a question, but the client does not accept messages while it waits')
    reply.send(message)
    this.#task.replyOpened = undefined
  }
}
