export interface Violation {
  readonly path: string
  readonly line: number
  readonly rule: string
  readonly message: string
}
