export type DoctorFinding = {
  readonly check: string
  readonly is: 'fine' | 'doubtful' | 'wrong'
  readonly message: string
}

export const okFinding = (check: string, message: string): DoctorFinding => ({ check, is: 'fine', message })
export const warningFinding = (check: string, message: string): DoctorFinding => ({ check, is: 'doubtful', message })
export const errorFinding = (check: string, message: string): DoctorFinding => ({ check, is: 'wrong', message })
