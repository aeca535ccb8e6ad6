import type { JsonObject } from '../../json.js'
import type { ReplyChannel } from '../../peer/reply-channel.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { ToolError } from '../../tools/result.js'
import { type Elicitor, type InputRequest, maxQuestions, tooManyQuestions } from '../questions/elicitor.js'
import { askByRequest } from '../questions/request-elicitor.js'
import type { RequestContext } from '../request-context.js'
import type { RunningTask } from './running-task.js'

/** Asks questions of a task as requests: to the client that waits for the result, or else to the session. */
export class TaskElicitor implements Elicitor {
  readonly #x: RequestContext
  readonly #task: RunningTask
  #asked = 0
  #open = 0

  constructor(x: RequestContext, task: RunningTask) {
    this.#x = x
    this.#task = task
  }

  get effects() {
    return this.#task.effects
  }

  async ask(key: string, { method, params }: InputRequest): Promise<JsonObject> {
    if (++this.#asked > maxQuestions) throw tooManyQuestions()
    const { record, incoming } = this.#task
    const _meta = { [metaKeys.relatedTask]: { taskId: record.taskId }, [metaKeys.question]: key }
    this.#open++
    await this.#task.become('input_required')
    try {
      const send = (message: string) => this.#send(message)
      return await askByRequest(this.#x, { method, params: { ...params, _meta } }, { send, signal: incoming.signal })
    } finally {
      if (--this.#open === 0) await this.#task.become('working')
    }
  }

  /** Over the line of a waiting tasks/result if there is one; else wherever unsolicited messages go; else as soon as one waits. */
  #send(message: string): void {
    const reply = taskReply(this.#x, this.#task)
    if (reply) reply.send(message)
    else if (!this.#x.conversation.push(message)) this.#task.replyOpened = () => this.#resend(message)
  }

  #resend(message: string): void {
    const reply = taskReply(this.#x, this.#task)
    if (!reply?.twoWay) throw new ToolError('This task has a question, but the client does not accept messages while it waits')
    reply.send(message)
    this.#task.replyOpened = undefined
  }
}

/** The line to the client that waits for the result. Ids of requests count within one conversation: whoever waits in another one cannot be asked. */
export function taskReply({ app, conversation }: RequestContext, { record }: RunningTask): ReplyChannel | undefined {
  const waiting = app.tasks.awaited.get(record.taskId)
  return waiting?.conversation === conversation ? waiting.reply : undefined
}
