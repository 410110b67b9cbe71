export { type CatalogueEntry, catalogue, type ErrorCode } from './catalogue.ts'
export { errorsPage } from './page.ts'
export { type FieldError, fail, Problem, type ProblemDetails } from './problem.ts'
