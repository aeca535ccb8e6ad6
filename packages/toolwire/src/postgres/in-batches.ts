/**
 * Asks together for everything that was asked while the statement before was running, or before `begin` starts the first one. One
 * statement runs at a time.
 */
export function inBatches<Asked, Answer>(
  answerAll: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
  begin = (work: () => void): void => work(),
): (asked: Asked) => Promise<Answer> {
  let waiting: { readonly asked: Asked; readonly answer: (given: Answer) => void; readonly fail: (why: unknown) => void }[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const answers = await answerAll(batch.map(({ asked }) => asked))
        for (const [at, { answer }] of batch.entries()) answer(answers[at] as Answer) // there is one for each
      } catch (thrown) {
        for (const { fail } of batch) fail(thrown)
      }
    }
    isAsking = false
  }

  return (asked) =>
    new Promise((answer, fail) => {
      waiting.push({ asked, answer, fail })
      if (isAsking) return
      isAsking = true
      begin(() => void askAll())
    })
}
