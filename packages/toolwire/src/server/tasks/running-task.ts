import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import type { JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { IncomingRequest } from '../../peer/incoming-request.js'
import type { ReplyChannel } from '../../peer/reply-channel.js'
import { metaKeys } from '../../revisions/meta-keys.js'
import { ToolError } from '../../tools/result.js'
import { Effects } from '../calls/effects.js'
import { callEnded, type Elicitor, type InputRequest, maxQuestions, tooManyQuestions } from '../questions/elicitor.js'
import { askByRequest } from '../questions/request-elicitor.js'
import type { RequestContext } from '../request-context.js'
import { lostTask, type TaskLease } from './task-leases.js'
import { isOver, type TaskRecord, type TaskStatus } from './task-store.js'
import type { ServerTasks } from './tasks.js'

type Change = Partial<Pick<TaskRecord, 'questions' | 'outcome' | 'statusMessage'>>

export type TaskParts = {
  /** Side effects that ran before the task was created. */
  readonly effects?: Effects | undefined
  /** The request of the call that became the task. */
  readonly incoming?: IncomingRequest
}

/** A task while its handler runs in this process. */
export class RunningTask implements Elicitor {
  readonly record: TaskRecord
  readonly incoming: IncomingRequest
  readonly effects: Effects
  /** Called when a client begins to wait for the result, so that questions can reach it. */
  replyOpened: (() => void) | undefined
  /** The lease on the task, if replicas share tasks. */
  lease: TaskLease | undefined
  #saved: Promise<unknown> = Promise.resolve()
  #end!: () => void
  /** Settles when the task has ended, or this process has lost it. */
  readonly over = new Promise<void>((resolve) => {
    this.#end = resolve
  })
  readonly #tasks: ServerTasks
  readonly #waiting = new Map<string, (response: JsonObject) => void>()
  readonly #used = new Set<string>()

  constructor(tasks: ServerTasks, record: TaskRecord, parts: TaskParts = {}) {
    this.#tasks = tasks
    this.record = record
    this.effects = parts.effects ?? new Effects()
    this.incoming = parts.incoming ?? new IncomingRequest()
  }

  /** Stores the task; resolves when any request for it would find it. */
  async begin(): Promise<void> {
    const { store } = this.#tasks
    const { leases } = store
    if (!leases) return store.put(this.record)
    const begun = (async () => {
      this.lease = await leases.begin(this.record)
    })()
    this.#saved = begun
    await begun
    void this.#tasks.follow(leases)
  }

  /** Gives up a task that this process may no longer write: whatever its handler still does has no effect here. */
  async lose(): Promise<void> {
    const cancelled = new RpcError(codes.internalError, 'The task was ended elsewhere')
    await this.#catchUp()
    if (!isOver(this.record.status)) Object.assign(this.record, lostTask)
    this.#tasks.changed(this.record)
    this.incoming.cancel(cancelled)
    this.#end()
  }

  /** Asks a question whose answer comes by `tasks/update`. */
  async ask(key: string, question: InputRequest): Promise<JsonObject> {
    if (this.#used.size >= maxQuestions) throw tooManyQuestions()
    const unused = this.#unused(key)
    const answer = new Promise<JsonObject>((resolve) => this.#waiting.set(unused, resolve))
    await this.become('input_required', { questions: { ...this.record.questions, [unused]: question } })
    return Promise.race([answer, rejectOnAbort(this.incoming.signal)])
  }

  /** Takes answers to open questions and ignores the rest. */
  async answer(responses: Readonly<Record<string, JsonObject>>): Promise<void> {
    const taken = Object.entries(responses).filter(([key]) => this.#waiting.has(key))
    if (taken.length === 0) return
    const questions = { ...this.record.questions }
    for (const [key, response] of taken) {
      this.#waiting.get(key)?.(response)
      this.#waiting.delete(key)
      delete questions[key]
    }
    await this.become(this.#waiting.size > 0 ? 'input_required' : 'working', { questions })
  }

  /** Changes the status, unless the task has ended, which is final. Resolves with whether it did. */
  async become(status: TaskStatus, change: Change = {}): Promise<boolean> {
    if (!isOver(status)) return this.#move(status, change)
    try {
      if (!this.#tasks.store.leases) await this.#catchUp()
      return await this.#move(status, change)
    } finally {
      this.#end()
    }
  }

  async #move(status: TaskStatus, change: Change): Promise<boolean> {
    if (isOver(this.record.status)) return false
    Object.assign(this.record, change, { status, lastUpdatedAt: new Date().toISOString() })
    if (isOver(status)) this.record.questions = {}
    if (!(await this.#save())) {
      await this.lose()
      return false
    }
    this.#tasks.changed(this.record)
    return true
  }

  /** Saves changes in their order, if replicas share the task. */
  #save(): Promise<boolean> {
    if (!this.#tasks.store.leases) return this.#tasks.save(this)
    const saved = this.#saved.then(() => this.#tasks.save(this))
    this.#saved = saved.catch(nothing)
    return saved
  }

  /** Takes over the end of the task, if another replica has ended it. */
  async #catchUp(): Promise<void> {
    const stored = await this.#tasks.store.get(this.record.taskId)
    if (!stored || !isOver(stored.status) || (isOver(this.record.status) && !this.#tasks.store.leases)) return
    Object.assign(this.record, stored)
  }

  /** Makes a key unique, because it names one question for the whole life of a task. */
  #unused(key: string): string {
    let unused = key
    for (let count = 2; this.#used.has(unused); count++) unused = `${key}-${count}`
    this.#used.add(unused)
    return unused
  }
}

const nothing = () => undefined

/** Asks questions of a task as requests: to the client that waits for the result, or else to the session, or else as soon as a client waits. */
export function taskElicitor(x: RequestContext, task: RunningTask): Elicitor {
  let asked = 0
  let open = 0
  /** Questions that could not be sent yet. */
  const unsent = new Set<string>()
  task.replyOpened = () => {
    if (unsent.size === 0) return
    const reply = taskReply(x, task)
    if (!reply?.twoWay) throw new ToolError('This task has a question, but the client does not accept messages while it waits')
    for (const question of unsent) reply.send(question)
    unsent.clear()
  }
  const unlessEnded = new LinkedAbortController(task.incoming)
  const deliver = (message: string, isQuestion: boolean): boolean => {
    const reply = taskReply(x, task)
    if (!reply?.twoWay) return x.conversation.push(message, isQuestion)
    reply.send(message)
    return true
  }
  const ask = async (key: string, { method, params }: InputRequest): Promise<JsonObject> => {
    if (++asked > maxQuestions) throw tooManyQuestions()
    const { record } = task
    const _meta = { [metaKeys.relatedTask]: { taskId: record.taskId }, [metaKeys.question]: key }
    let question: string | undefined
    /** Sends the question, and later maybe its withdrawal. */
    const send = (message: string): void => {
      if (question === undefined) {
        question = message
        if (!deliver(message, true)) unsent.add(message)
      } else if (!unsent.delete(question)) deliver(message, false)
    }
    open++
    await task.become('input_required')
    try {
      return await askByRequest(x, { method, params: { ...params, _meta } }, { send, signal: unlessEnded.signal })
    } finally {
      if (--open === 0) await task.become('working')
    }
  }
  const end = () => {
    unlessEnded.abort(callEnded())
    unlessEnded.release()
  }
  return { effects: task.effects, ask, end }
}

/**
 * The channel to the client that waits for the result. Ids of requests count within one conversation, so a client that waits in another one
 * cannot be asked.
 */
export function taskReply({ app, conversation }: RequestContext, { record }: RunningTask): ReplyChannel | undefined {
  const waiting = app.tasks.awaited.get(record.taskId)
  return waiting?.conversation === conversation ? waiting.reply : undefined
}
