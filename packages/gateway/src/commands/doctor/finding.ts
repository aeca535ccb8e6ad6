/** What was looked at, and how it is. */
export type Finding = {
  readonly check: string
  readonly is: 'fine' | 'doubtful' | 'wrong'
  readonly message: string
}

export const fine = (check: string, message: string): Finding => ({ check, is: 'fine', message })
export const doubtful = (check: string, message: string): Finding => ({ check, is: 'doubtful', message })
export const wrong = (check: string, message: string): Finding => ({ check, is: 'wrong', message })
