import { createContext } from 'svelte';

import type { OpenCase } from './opencase.svelte';
import type { Session } from './session.svelte';
import type { Theme } from './theme.svelte';

/** State is created in one place and passed by context; another window or case never shares it. */
export const [getSession, setSession] = createContext<Session>();
export const [getTheme, setTheme] = createContext<Theme>();
export const [getCase, setCase] = createContext<OpenCase>();
