import type { StoredObject } from './object.ts'

declare const objectOfKind: unique symbol

/**
 * A kind that knows the type of its objects, so that nobody casts what the cache answers.
 * At run time it is the kind's name and nothing else; a plain string works wherever one is asked for, untyped.
 */
export type Kind<T extends StoredObject = StoredObject> = string & { readonly [objectOfKind]?: T }

/** `const widgets = kindOf<StoredObject<WidgetSpec, WidgetStatus>>('widget')` */
export const kindOf = <T extends StoredObject>(name: string): Kind<T> => name as Kind<T>
