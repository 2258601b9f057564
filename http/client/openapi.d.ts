/**
 * The API's endpoints as types. `npm run client-types` writes this file from the declarations of the routes. Words
 * about each endpoint and field are on a server's page `/api/`.
 */

/** OneOf type helpers */
type Without<T, U> = { [P in Exclude<keyof T, keyof U>]?: never };
type XOR<T, U> = (T | U) extends object ? (Without<T, U> & U) | (Without<U, T> & T) : T | U;
type OneOf<T extends any[]> = T extends [infer Only] ? Only : T extends [infer A, infer B, ...infer Rest] ? OneOf<[XOR<A, B>, ...Rest]> : never;

export interface paths {
  "/fetch_api_key": {
    /** Exchanges an email and a password for an API key. */
    post: {
      requestBody: {
        content: {
          "form": {
            username: string;
            password: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
              email: string;
              user_id: number;
            };
          };
        };
      };
    };
  };
  "/dev_fetch_api_key": {
    /** Gives anybody's API key, on a development server only. */
    post: {
      requestBody: {
        content: {
          "form": {
            username: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
              email: string;
              user_id: number;
            };
          };
        };
      };
    };
  };
  "/jwt/fetch_api_key": {
    /** Exchanges a JSON Web Token with an email claim for that account's API key. */
    post: {
      requestBody: {
        content: {
          "form": {
            token: string;
            /** @default false */
            include_profile?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
              email: string;
              user?: {
                user_id: number;
                email: string;
                delivery_email: string | null;
                full_name: string;
                date_joined: string;
                is_active: boolean;
                is_owner: boolean;
                is_admin: boolean;
                is_guest: boolean;
                /** @enum {integer} */
                role: 100 | 200 | 300 | 400 | 600;
                is_bot: boolean;
                bot_type: number | null;
                bot_owner_id: number | null;
                timezone: string;
                avatar_url: string | null;
                avatar_version: number;
                is_imported_stub: boolean;
                /** @enum {boolean} */
                is_system_bot?: true;
                /** @enum {boolean} */
                is_deleted?: true;
                profile_data?: {
                  [key: string]: {
                    value: string;
                    rendered_value?: string;
                  };
                };
              };
            };
          };
        };
      };
    };
  };
  "/users/me/sessions": {
    /** Lists the browsers in which the caller is logged in, the one seen last first. When one was seen is noted about once an hour. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              sessions: {
                  id: number;
                  client: string;
                  program: string;
                  system: string;
                  user_agent: string;
                  ip_address: string;
                  date_created: number;
                  last_seen: number;
                  expires_at: number;
                  is_current: boolean;
                }[];
            };
          };
        };
      };
    };
    /** Logs the caller out in every browser but the one that asks, and says in how many. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": {
              ended: number;
            };
          };
        };
      };
    };
  };
  "/users/{user_id}/sessions": {
    /** Lists the browsers in which somebody is logged in, for administrators; an owner's, for owners. */
    get: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              sessions: {
                  id: number;
                  client: string;
                  program: string;
                  system: string;
                  user_agent: string;
                  ip_address: string;
                  date_created: number;
                  last_seen: number;
                  expires_at: number;
                  is_current: boolean;
                }[];
            };
          };
        };
      };
    };
    /** Logs somebody out in every browser, as an administrator; an owner, as an owner. Their event queues, polls and streams end at once. API keys go on. */
    delete: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              ended: number;
            };
          };
        };
      };
    };
  };
  "/realm/log_in_policy": {
    /** Tells administrators what the organization decided about log-ins: their length, networks, and passwords. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              log_in_policy: {
                session_days: number;
                idle_minutes: number | null;
                password_min_length: number;
                /** @enum {string} */
                password_strength: "ordinary" | "strong" | "very_strong";
                allowed_networks: string[];
              };
            };
          };
        };
      };
    };
    /** Decides about log-ins: how long they last, from which networks people come, and which passwords they may choose. Log-ins that are there last no longer than new ones would from now. */
    patch: {
      requestBody: {
        content: {
          "form": {
            session_days?: number;
            idle_minutes?: number;
            password_min_length?: number;
            /** @enum {string} */
            password_strength?: "ordinary" | "strong" | "very_strong";
            allowed_networks?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              log_in_policy: {
                session_days: number;
                idle_minutes: number | null;
                password_min_length: number;
                /** @enum {string} */
                password_strength: "ordinary" | "strong" | "very_strong";
                allowed_networks: string[];
              };
            };
          };
        };
      };
    };
  };
  "/realm/identity_providers": {
    /** Lists the providers by which people log in (OpenID Connect): those that owners set, and the server's names. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              identity_providers: ({
                  name: string;
                  display_name: string;
                  issuer: string;
                  client_id: string;
                  client_secret_set_at: number | null;
                  scopes: string[];
                  /** @enum {string} */
                  joining: "everybody" | "invited" | "nobody";
                  domains: string[];
                  confirms_emails: boolean;
                  name_claim: string;
                  email_claim: string;
                  groups_claim: string;
                  groups: {
                    [key: string]: string;
                  };
                  roles: {
                    [key: string]: string[];
                  };
                  channels: {
                    [key: string]: string[];
                  };
                  logs_out: boolean;
                  redirect_uri: string;
                  backchannel_logout_uri: string;
                })[];
              server_identity_providers: {
                  name: string;
                  display_name: string;
                }[];
            };
          };
        };
      };
    };
    /** Sets a provider by which people log in (OpenID Connect). */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            display_name: string;
            issuer: string;
            client_id: string;
            client_secret?: string;
            scopes?: string[];
            /** @enum {string} */
            joining?: "everybody" | "invited" | "nobody";
            domains?: string[];
            confirms_emails?: boolean;
            name_claim?: string;
            email_claim?: string;
            groups_claim?: string;
            groups?: {
              [key: string]: string;
            };
            roles?: {
              [key: string]: string[];
            };
            channels?: {
              [key: string]: string[];
            };
            logs_out?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              identity_provider: {
                name: string;
                display_name: string;
                issuer: string;
                client_id: string;
                client_secret_set_at: number | null;
                scopes: string[];
                /** @enum {string} */
                joining: "everybody" | "invited" | "nobody";
                domains: string[];
                confirms_emails: boolean;
                name_claim: string;
                email_claim: string;
                groups_claim: string;
                groups: {
                  [key: string]: string;
                };
                roles: {
                  [key: string]: string[];
                };
                channels: {
                  [key: string]: string[];
                };
                logs_out: boolean;
                redirect_uri: string;
                backchannel_logout_uri: string;
              };
            };
          };
        };
      };
    };
  };
  "/realm/identity_providers/try": {
    /** Asks a provider for its description and keys, and whether it knows the client, and says what is wrong. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            issuer: string;
            client_id: string;
            client_secret?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              problem: string | null;
            };
          };
        };
      };
    };
  };
  "/realm/identity_providers/{provider}": {
    /** Removes a provider by which people log in. Whoever is logged in by it stays so. */
    delete: {
      parameters: {
        path: {
          provider: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @default false */
            locks_out_owners?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a provider by which people log in. What is left out stays, the secret too. */
    patch: {
      parameters: {
        path: {
          provider: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            display_name?: string;
            issuer?: string;
            client_id?: string;
            client_secret?: string;
            scopes?: string[];
            /** @enum {string} */
            joining?: "everybody" | "invited" | "nobody";
            domains?: string[];
            confirms_emails?: boolean;
            name_claim?: string;
            email_claim?: string;
            groups_claim?: string;
            groups?: {
              [key: string]: string;
            };
            roles?: {
              [key: string]: string[];
            };
            channels?: {
              [key: string]: string[];
            };
            logs_out?: boolean;
            /** @default false */
            locks_out_owners?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              identity_provider: {
                name: string;
                display_name: string;
                issuer: string;
                client_id: string;
                client_secret_set_at: number | null;
                scopes: string[];
                /** @enum {string} */
                joining: "everybody" | "invited" | "nobody";
                domains: string[];
                confirms_emails: boolean;
                name_claim: string;
                email_claim: string;
                groups_claim: string;
                groups: {
                  [key: string]: string;
                };
                roles: {
                  [key: string]: string[];
                };
                channels: {
                  [key: string]: string[];
                };
                logs_out: boolean;
                redirect_uri: string;
                backchannel_logout_uri: string;
              };
            };
          };
        };
      };
    };
  };
  "/users/me/sessions/{session_id}": {
    /** Logs the caller out in one browser. Its event queues, polls and streams end at once. */
    delete: {
      parameters: {
        path: {
          session_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/api_keys": {
    /** Lists the caller's further API keys, the newest first. When one was used is noted about once an hour. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              api_keys: ({
                  id: number;
                  name: string;
                  /** @enum {string} */
                  scope: "read" | "send" | "all";
                  date_created: number;
                  last_used: number | null;
                  expires_at: number | null;
                })[];
            };
          };
        };
      };
    };
    /** Makes a further API key for the caller, which is told this once. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            /**
             * @default all
             * @enum {string}
             */
            scope?: "read" | "send" | "all";
            expires_in_days?: number;
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
              api_key: string;
            };
          };
        };
      };
    };
  };
  "/users/me/api_keys/{key_id}": {
    /** Ends a further API key of the caller's. Its event queues, polls and streams end at once. */
    delete: {
      parameters: {
        path: {
          key_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/sessions/end": {
    /** Logs the caller's browser out. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              logout_url?: string;
            };
          };
        };
      };
    };
  };
  "/identities": {
    /** Lists the caller's log-ins at providers of identities; to administrators also those that wait to be linked with anybody's account. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              identities: ({
                  id: number;
                  user_id: number;
                  provider: string;
                  provider_display_name: string;
                  email: string | null;
                  /** @enum {string} */
                  state: "pending" | "linked";
                  date_created: number;
                  last_used: number | null;
                })[];
            };
          };
        };
      };
    };
  };
  "/identities/{identity_id}/link": {
    /** Links a log-in that waits with its account, as an administrator; with an owner's account, as an owner. */
    post: {
      parameters: {
        path: {
          identity_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/identities/{identity_id}": {
    /** Ends one's own log-in by a provider; administrators end others', owners those of owners. */
    delete: {
      parameters: {
        path: {
          identity_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/second_factor": {
    /** Tells of whom the organization requires a second factor. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              required_second_factor: {
                /** @enum {string} */
                of: "nobody" | "administrators" | "members" | "everyone";
                grace_days: number;
                since: number;
              };
            };
          };
        };
      };
    };
    /** Decides of whom the organization requires a second factor. Others than before have their days of grace from now. */
    patch: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            of?: "nobody" | "administrators" | "members" | "everyone";
            grace_days?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              required_second_factor: {
                /** @enum {string} */
                of: "nobody" | "administrators" | "members" | "everyone";
                grace_days: number;
                since: number;
              };
            };
          };
        };
      };
    };
  };
  "/users/me/reauthenticate": {
    /** Shows, by a password, a code or a passkey, that the person of this browser is still there. With none it asks whether that is needed. */
    post: {
      requestBody: {
        content: {
          "form": {
            password?: string;
            code?: string;
            /** @default */
            challenge?: string;
            /** @default */
            credential?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/api_key": {
    /** Tells a browser the API key of its person. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
            };
          };
        };
      };
    };
  };
  "/users/me/second_factor": {
    /** Tells whether the caller's log-ins ask for a code or a passkey beside the password. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              second_factor: {
                /** @enum {string} */
                state: "off" | "enrolling" | "on";
                since: number | null;
                required_from: number | null;
                recovery_codes_left: number;
                has_totp: boolean;
                has_password: boolean;
                passkeys: ({
                    id: number;
                    name: string;
                    date_created: number;
                    last_used: number | null;
                    is_synced: boolean;
                    is_blocked: boolean;
                  })[];
              };
            };
          };
        };
      };
    };
    /** Ends the caller's second factor: the application, passkeys and recovery codes. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/second_factor/totp": {
    /** Begins to set up codes by time (RFC 6238). Nothing asks for them until the first one is shown. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              secret: string;
              otpauth_url: string;
              qr_code: {
                size: number;
                path: string;
              };
            };
          };
        };
      };
    };
    /** Ends the caller's authenticator application, where passkeys are left. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/second_factor/totp/confirm": {
    /** Turns codes by time on, by the first of them. */
    post: {
      requestBody: {
        content: {
          "form": {
            code: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              recovery_codes: string[];
            };
          };
        };
      };
    };
  };
  "/users/me/passkeys/options": {
    /** Asks the caller's browser to make a passkey. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              options: {
                [key: string]: unknown;
              };
              challenge: string;
            };
          };
        };
      };
    };
  };
  "/users/me/passkeys": {
    /** Registers a passkey that the caller's browser has made. From then on log-ins ask for a second factor. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @default */
            challenge?: string;
            /** @default */
            credential?: string;
            name?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              passkey_id: number;
              recovery_codes: string[];
            };
          };
        };
      };
    };
  };
  "/users/me/passkeys/{passkey_id}": {
    /** Removes one of the caller's passkeys. The last second factor takes the recovery codes along. */
    delete: {
      parameters: {
        path: {
          passkey_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Gives one of the caller's passkeys another name. */
    patch: {
      parameters: {
        path: {
          passkey_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            name: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/reauthenticate/options": {
    /** Asks the caller's browser for a passkey, by which `POST /users/me/reauthenticate` knows them. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              options: {
                [key: string]: unknown;
              };
              challenge: string;
            };
          };
        };
      };
    };
  };
  "/users/me/second_factor/recovery_codes": {
    /** Gives the caller ten new recovery codes, which end those before. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              recovery_codes: string[];
            };
          };
        };
      };
    };
  };
  "/users/{user_id}/second_factor": {
    /** Ends the second factor of somebody who lost theirs; an owner's, only by owners. */
    delete: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/server_settings": {
    /** Describes the server and the organization before anybody logs in. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              authentication_methods: {
                [key: string]: boolean;
              };
              external_authentication_methods: ({
                  name: string;
                  display_name: string;
                  display_icon: string | null;
                  login_url: string;
                  signup_url: string;
                })[];
              zulip_version: string;
              zulip_merge_base: string;
              zulip_feature_level: number;
              push_notifications_enabled: boolean;
              is_incompatible: boolean;
              email_auth_enabled: boolean;
              require_email_format_usernames: boolean;
              realm_url: string;
              realm_uri: string;
              realm_name: string;
              realm_icon: string;
              realm_description: string;
              realm_web_public_access_enabled: boolean;
            };
          };
        };
      };
    };
  };
  "/dev_list_users": {
    /** Lists the accounts of a development server. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              direct_admins: {
                  email: string;
                  realm_url: string;
                  realm_uri: string;
                }[];
              direct_users: {
                  email: string;
                  realm_url: string;
                  realm_uri: string;
                }[];
            };
          };
        };
      };
    };
  };
  "/compatibility": {
    /** Tells a client whether this server takes its version, as it tells it in its User-Agent. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/subdomain/{subdomain}": {
    /** Tells whether a subdomain is free for an organization: msg is `available`, or why it is not. */
    get: {
      parameters: {
        path: {
          subdomain: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/register": {
    /** Registers an event queue and returns the state it continues. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @default false */
            apply_markdown?: boolean;
            client_gravatar?: boolean;
            /**
             * @default false
             * @enum {string}
             */
            include_subscribers?: "true" | "false" | "partial";
            /** @default false */
            slim_presence?: boolean;
            /** @default 14 */
            presence_history_limit_days?: number;
            /** @default null */
            event_types?: string[] | null;
            all_public_streams?: boolean;
            /** @default {} */
            client_capabilities?: {
              [key: string]: boolean;
            };
            /** @default null */
            fetch_event_types?: string[] | null;
            /** @default [] */
            narrow?: (OneOf<[unknown[], {
                operator: string;
                operand?: unknown;
                negated?: boolean | null;
              }]>)[];
            idle_queue_timeout?: number | "mobile";
            queue_lifespan_secs?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              zulip_version: string;
              zulip_feature_level: number;
              zulip_merge_base: string;
              realm_description?: string;
              realm_message_retention_days?: number;
              realm_allow_message_editing?: boolean;
              realm_message_content_edit_limit_seconds?: number | null;
              realm_message_content_delete_limit_seconds?: number | null;
              realm_move_messages_within_stream_limit_seconds?: number | null;
              realm_move_messages_between_streams_limit_seconds?: number | null;
              /** @enum {unknown} */
              realm_message_edit_history_visibility_policy?: "all" | "moves" | "none";
              /** @enum {unknown} */
              realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic";
              realm_waiting_period_threshold?: number;
              realm_enable_read_receipts?: boolean;
              realm_presence_disabled?: boolean;
              realm_moderation_request_channel_id?: number;
              realm_new_stream_announcements_stream_id?: number;
              realm_signup_announcements_stream_id?: number;
              realm_zulip_update_announcements_stream_id?: number;
              /** @enum {unknown} */
              realm_video_chat_provider?: "" | 1 | 3 | 4 | 5 | 6 | 7 | 8;
              realm_jitsi_server_url?: string | null;
              /** @enum {unknown} */
              realm_gif_rating_policy?: "" | 1 | 2 | 3 | 4;
              /** @enum {unknown} */
              realm_media_preview_size?: 100 | 150 | 200;
              /** @enum {unknown} */
              realm_default_avatar_source?: "G" | "J";
              realm_default_language?: string;
              realm_default_code_block_language?: string;
              realm_invite_required?: boolean;
              realm_emails_restricted_to_domains?: boolean;
              realm_disallow_disposable_email_addresses?: boolean;
              realm_email_changes_disabled?: boolean;
              realm_name_changes_disabled?: boolean;
              realm_avatar_changes_disabled?: boolean;
              realm_require_unique_names?: boolean;
              realm_require_e2ee_push_notifications?: boolean;
              realm_enable_spectator_access?: boolean;
              realm_want_advertise_in_communities_directory?: boolean;
              realm_inline_image_preview?: boolean;
              realm_inline_url_embed_preview?: boolean;
              realm_message_content_allowed_in_email_notifications?: boolean;
              realm_send_welcome_emails?: boolean;
              realm_send_channel_events_messages?: boolean;
              realm_digest_emails_enabled?: boolean;
              realm_digest_weekday?: number;
              realm_enable_guest_user_indicator?: boolean;
              realm_enable_guest_user_dm_warning?: boolean;
              /** @enum {unknown} */
              realm_org_type?: "" | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 110 | 1000;
              realm_welcome_message_custom_text?: string;
              realm_create_multiuse_invite_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_access_all_users_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_add_custom_emoji_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_add_subscribers_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_bots_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_groups?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_private_channel_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_public_channel_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_web_public_channel_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_create_write_only_bots_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_delete_any_message_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_delete_own_message_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_invite_users_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_manage_all_groups?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_manage_billing_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_mention_many_users_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_move_messages_between_channels_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_move_messages_between_topics_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_resolve_topics_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_set_delete_message_policy_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_set_topics_policy_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_can_summarize_topics_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_direct_message_initiator_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_direct_message_permission_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              realm_workplace_users_group?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              server_supported_permission_settings?: {
                realm: {
                  [key: string]: {
                    require_system_group: boolean;
                    allow_internet_group: boolean;
                    allow_nobody_group: boolean;
                    allow_everyone_group: boolean;
                    default_group_name: string;
                    default_for_system_groups: string | null;
                    allowed_system_groups: string[];
                  };
                };
                stream: {
                  [key: string]: {
                    require_system_group: boolean;
                    allow_internet_group: boolean;
                    allow_nobody_group: boolean;
                    allow_everyone_group: boolean;
                    default_group_name: string;
                    default_for_system_groups: string | null;
                    allowed_system_groups: string[];
                  };
                };
                group: {
                  [key: string]: {
                    require_system_group: boolean;
                    allow_internet_group: boolean;
                    allow_nobody_group: boolean;
                    allow_everyone_group: boolean;
                    default_group_name: string;
                    default_for_system_groups: string | null;
                    allowed_system_groups: string[];
                  };
                };
              };
              realm_name?: string;
              realm_url?: string;
              realm_uri?: string;
              realm_icon_url?: string;
              /** @enum {string} */
              realm_icon_source?: "G" | "U";
              realm_logo_url?: string;
              /** @enum {string} */
              realm_logo_source?: "D" | "U";
              realm_night_logo_url?: string;
              /** @enum {string} */
              realm_night_logo_source?: "D" | "U";
              realm_uuid?: string;
              realm_bot_domain?: string;
              realm_owner_full_content_access?: boolean;
              realm_date_created?: number;
              realm_plan_type?: number;
              zulip_plan_is_not_limited?: boolean;
              upgrade_text_for_wide_organization_logo?: string;
              realm_upload_quota_mib?: number | null;
              realm_empty_topic_display_name?: string;
              realm_default_external_accounts?: {
                [key: string]: {
                  name: string;
                  text: string;
                  hint: string;
                  url_pattern: string;
                };
              };
              realm_authentication_methods?: {
                [key: string]: {
                  enabled: boolean;
                  available: boolean;
                };
              };
              realm_email_auth_enabled?: boolean;
              realm_password_auth_enabled?: boolean;
              realm_push_notifications_enabled?: boolean;
              realm_push_notifications_enabled_end_timestamp?: number | null;
              realm_available_video_chat_providers?: {
                [key: string]: {
                  name: string;
                  id: number;
                };
              };
              gif_rating_policy_options?: {
                [key: string]: {
                  name: string;
                  id: number;
                };
              };
              max_stream_name_length?: number;
              max_stream_description_length?: number;
              max_topic_length?: number;
              max_message_length?: number;
              max_channel_folder_name_length?: number;
              max_channel_folder_description_length?: number;
              max_reminder_note_length?: number;
              max_bulk_new_subscription_messages?: number;
              max_file_upload_size_mib?: number;
              max_avatar_file_size_mib?: number;
              max_icon_file_size_mib?: number;
              max_logo_file_size_mib?: number;
              password_min_length?: number;
              password_max_length?: number;
              password_min_guesses?: number;
              server_presence_ping_interval_seconds?: number;
              server_presence_offline_threshold_seconds?: number;
              server_typing_started_expiry_period_milliseconds?: number;
              server_typing_stopped_wait_period_milliseconds?: number;
              server_typing_started_wait_period_milliseconds?: number;
              event_queue_longpoll_timeout_seconds?: number;
              server_generation?: number;
              development_environment?: boolean;
              server_needs_upgrade?: boolean;
              server_avatar_changes_disabled?: boolean;
              server_name_changes_disabled?: boolean;
              server_inline_image_preview?: boolean;
              server_inline_url_embed_preview?: boolean;
              server_web_public_streams_enabled?: boolean;
              server_emoji_data_url?: string;
              server_jitsi_server_url?: string;
              jitsi_server_url?: string;
              server_can_summarize_topics?: boolean;
              server_gif_provider?: string;
              server_thumbnail_formats?: {
                  name: string;
                  max_width: number;
                  max_height: number;
                  format: string;
                  animated: boolean;
                }[];
              server_report_message_types?: {
                  key: string;
                  name: string;
                }[];
              server_min_deactivated_realm_deletion_days?: number;
              server_max_deactivated_realm_deletion_days?: number | null;
              settings_send_digest_emails?: boolean;
              realm_mandatory_topics?: boolean;
              realm_allow_edit_history?: boolean;
              realm_wildcard_mention_policy?: number;
              realm_private_message_policy?: number;
              realm_create_web_public_stream_policy?: number;
              realm_create_public_stream_policy?: number;
              realm_create_private_stream_policy?: number;
              realm_delete_own_message_policy?: number;
              realm_linkifiers?: ({
                  id: number;
                  pattern: string;
                  url_template: string;
                  example_input: string | null;
                  reverse_template: string | null;
                  alternative_url_templates: string[];
                })[];
              realm_emoji?: {
                [key: string]: {
                  id: string;
                  name: string;
                  source_url: string;
                  still_url: string | null;
                  deactivated: boolean;
                  author_id: number | null;
                };
              };
              realm_filters?: ((string | number)[])[];
              realm_playgrounds?: {
                  id: number;
                  name: string;
                  pygments_language: string;
                  url_template: string;
                }[];
              realm_domains?: {
                  domain: string;
                  allow_subdomains: boolean;
                }[];
              stop_words?: string[];
              giphy_api_key?: string;
              tenor_api_key?: string;
              klipy_api_key?: string;
              realm_billing?: {
                has_pending_sponsorship_request: boolean;
              };
              has_zoom_token?: boolean;
              has_webex_token?: boolean;
              realm_users?: ({
                  user_id: number;
                  email: string;
                  delivery_email: string | null;
                  full_name: string;
                  date_joined: string;
                  is_owner: boolean;
                  is_admin: boolean;
                  is_guest: boolean;
                  /** @enum {integer} */
                  role: 100 | 200 | 300 | 400 | 600;
                  is_bot: boolean;
                  bot_type: number | null;
                  bot_owner_id: number | null;
                  timezone: string;
                  avatar_url?: string | null;
                  avatar_version: number;
                  is_imported_stub: boolean;
                  /** @enum {boolean} */
                  is_system_bot?: true;
                  /** @enum {boolean} */
                  is_deleted?: true;
                  profile_data?: {
                    [key: string]: {
                      value: string;
                      rendered_value?: string;
                    };
                  };
                })[];
              realm_non_active_users?: ({
                  user_id: number;
                  email: string;
                  delivery_email: string | null;
                  full_name: string;
                  date_joined: string;
                  is_owner: boolean;
                  is_admin: boolean;
                  is_guest: boolean;
                  /** @enum {integer} */
                  role: 100 | 200 | 300 | 400 | 600;
                  is_bot: boolean;
                  bot_type: number | null;
                  bot_owner_id: number | null;
                  timezone: string;
                  avatar_url?: string | null;
                  avatar_version: number;
                  is_imported_stub: boolean;
                  /** @enum {boolean} */
                  is_system_bot?: true;
                  /** @enum {boolean} */
                  is_deleted?: true;
                  profile_data?: {
                    [key: string]: {
                      value: string;
                      rendered_value?: string;
                    };
                  };
                })[];
              cross_realm_bots?: ({
                  user_id: number;
                  email: string;
                  delivery_email: string | null;
                  full_name: string;
                  date_joined: string;
                  is_owner: boolean;
                  is_admin: boolean;
                  is_guest: boolean;
                  /** @enum {integer} */
                  role: 100 | 200 | 300 | 400 | 600;
                  is_bot: boolean;
                  bot_type: number | null;
                  bot_owner_id: number | null;
                  timezone: string;
                  avatar_url?: string | null;
                  avatar_version: number;
                  is_imported_stub: boolean;
                  /** @enum {boolean} */
                  is_system_bot?: true;
                  /** @enum {boolean} */
                  is_deleted?: true;
                  profile_data?: {
                    [key: string]: {
                      value: string;
                      rendered_value?: string;
                    };
                  };
                })[];
              user_id?: number;
              email?: string;
              delivery_email?: string;
              full_name?: string;
              avatar_url?: string;
              avatar_url_medium?: string;
              /** @enum {string} */
              avatar_source?: "G" | "J" | "U";
              is_owner?: boolean;
              is_admin?: boolean;
              is_moderator?: boolean;
              is_guest?: boolean;
              can_create_streams?: boolean;
              can_create_public_streams?: boolean;
              can_create_private_streams?: boolean;
              can_create_web_public_streams?: boolean;
              can_subscribe_other_users?: boolean;
              can_invite_others_to_realm?: boolean;
              user_settings?: {
                twenty_four_hour_time: boolean;
                starred_message_counts: boolean;
                display_emoji_reaction_users: boolean;
                emojiset: string;
                presence_enabled: boolean;
                web_inbox_show_channel_folders: boolean;
                send_private_typing_notifications: boolean;
                send_stream_typing_notifications: boolean;
                receives_typing_notifications: boolean;
                send_read_receipts: boolean;
                pm_content_in_desktop_notifications: boolean;
                enter_sends: boolean;
                default_language: string;
                web_home_view: string;
                web_escape_navigates_to_home_view: boolean;
                left_side_userlist: boolean;
                fluid_layout_width: boolean;
                high_contrast_mode: boolean;
                translate_emoticons: boolean;
                color_scheme: number;
                demote_inactive_streams: number;
                web_mark_read_on_scroll_policy: number;
                web_stream_unreads_count_display_policy: number;
                user_list_style: number;
                web_font_size_px: number;
                web_line_height_percent: number;
                notification_sound: string;
                wildcard_mentions_notify: boolean;
                enable_stream_desktop_notifications: boolean;
                enable_stream_email_notifications: boolean;
                enable_stream_push_notifications: boolean;
                enable_stream_audible_notifications: boolean;
                enable_followed_topic_desktop_notifications: boolean;
                enable_followed_topic_email_notifications: boolean;
                enable_followed_topic_push_notifications: boolean;
                enable_followed_topic_audible_notifications: boolean;
                enable_followed_topic_wildcard_mentions_notify: boolean;
                enable_desktop_notifications: boolean;
                enable_sounds: boolean;
                enable_offline_email_notifications: boolean;
                enable_offline_push_notifications: boolean;
                enable_online_push_notifications: boolean;
                message_content_in_email_notifications: boolean;
                email_notifications_batching_period_seconds: number;
                desktop_icon_count_display: number;
                enable_digest_emails: boolean;
                enable_login_emails: boolean;
                enable_marketing_emails: boolean;
                realm_name_in_email_notifications_policy: number;
                automatically_follow_topics_policy: number;
                automatically_unmute_topics_in_muted_streams_policy: number;
                automatically_follow_topics_where_mentioned: boolean;
                enable_drafts_synchronization: boolean;
                email_address_visibility: number;
                allow_private_data_export: boolean;
                hide_ai_features: boolean;
                web_channel_default_view: number;
                web_navigate_to_sent_message: boolean;
                web_animate_image_previews: string;
                web_suggest_update_timezone: boolean;
                resolved_topic_notice_auto_read_policy: string;
                web_left_sidebar_show_channel_folders: boolean;
                web_left_sidebar_unreads_count_summary: boolean;
                emojiset_choices: {
                    key: string;
                    text: string;
                  }[];
                available_notification_sounds: string[];
                timezone: string;
              };
              twenty_four_hour_time?: boolean;
              starred_message_counts?: boolean;
              display_emoji_reaction_users?: boolean;
              emojiset?: string;
              presence_enabled?: boolean;
              web_inbox_show_channel_folders?: boolean;
              send_private_typing_notifications?: boolean;
              send_stream_typing_notifications?: boolean;
              receives_typing_notifications?: boolean;
              send_read_receipts?: boolean;
              pm_content_in_desktop_notifications?: boolean;
              enter_sends?: boolean;
              default_language?: string;
              web_home_view?: string;
              web_escape_navigates_to_home_view?: boolean;
              left_side_userlist?: boolean;
              fluid_layout_width?: boolean;
              high_contrast_mode?: boolean;
              translate_emoticons?: boolean;
              color_scheme?: number;
              demote_inactive_streams?: number;
              web_mark_read_on_scroll_policy?: number;
              web_stream_unreads_count_display_policy?: number;
              user_list_style?: number;
              web_font_size_px?: number;
              web_line_height_percent?: number;
              notification_sound?: string;
              wildcard_mentions_notify?: boolean;
              enable_stream_desktop_notifications?: boolean;
              enable_stream_email_notifications?: boolean;
              enable_stream_push_notifications?: boolean;
              enable_stream_audible_notifications?: boolean;
              enable_followed_topic_desktop_notifications?: boolean;
              enable_followed_topic_email_notifications?: boolean;
              enable_followed_topic_push_notifications?: boolean;
              enable_followed_topic_audible_notifications?: boolean;
              enable_followed_topic_wildcard_mentions_notify?: boolean;
              enable_desktop_notifications?: boolean;
              enable_sounds?: boolean;
              enable_offline_email_notifications?: boolean;
              enable_offline_push_notifications?: boolean;
              enable_online_push_notifications?: boolean;
              message_content_in_email_notifications?: boolean;
              email_notifications_batching_period_seconds?: number;
              desktop_icon_count_display?: number;
              enable_digest_emails?: boolean;
              enable_login_emails?: boolean;
              enable_marketing_emails?: boolean;
              realm_name_in_email_notifications_policy?: number;
              automatically_follow_topics_policy?: number;
              automatically_unmute_topics_in_muted_streams_policy?: number;
              automatically_follow_topics_where_mentioned?: boolean;
              enable_drafts_synchronization?: boolean;
              email_address_visibility?: number;
              allow_private_data_export?: boolean;
              hide_ai_features?: boolean;
              web_channel_default_view?: number;
              web_navigate_to_sent_message?: boolean;
              web_animate_image_previews?: string;
              web_suggest_update_timezone?: boolean;
              resolved_topic_notice_auto_read_policy?: string;
              web_left_sidebar_show_channel_folders?: boolean;
              web_left_sidebar_unreads_count_summary?: boolean;
              emojiset_choices?: {
                  key: string;
                  text: string;
                }[];
              available_notification_sounds?: string[];
              timezone?: string;
              realm_user_settings_defaults?: {
                twenty_four_hour_time: boolean;
                starred_message_counts: boolean;
                display_emoji_reaction_users: boolean;
                emojiset: string;
                presence_enabled: boolean;
                web_inbox_show_channel_folders: boolean;
                send_private_typing_notifications: boolean;
                send_stream_typing_notifications: boolean;
                receives_typing_notifications: boolean;
                send_read_receipts: boolean;
                pm_content_in_desktop_notifications: boolean;
                enter_sends: boolean;
                default_language: string;
                web_home_view: string;
                web_escape_navigates_to_home_view: boolean;
                left_side_userlist: boolean;
                fluid_layout_width: boolean;
                high_contrast_mode: boolean;
                translate_emoticons: boolean;
                color_scheme: number;
                demote_inactive_streams: number;
                web_mark_read_on_scroll_policy: number;
                web_stream_unreads_count_display_policy: number;
                user_list_style: number;
                web_font_size_px: number;
                web_line_height_percent: number;
                notification_sound: string;
                wildcard_mentions_notify: boolean;
                enable_stream_desktop_notifications: boolean;
                enable_stream_email_notifications: boolean;
                enable_stream_push_notifications: boolean;
                enable_stream_audible_notifications: boolean;
                enable_followed_topic_desktop_notifications: boolean;
                enable_followed_topic_email_notifications: boolean;
                enable_followed_topic_push_notifications: boolean;
                enable_followed_topic_audible_notifications: boolean;
                enable_followed_topic_wildcard_mentions_notify: boolean;
                enable_desktop_notifications: boolean;
                enable_sounds: boolean;
                enable_offline_email_notifications: boolean;
                enable_offline_push_notifications: boolean;
                enable_online_push_notifications: boolean;
                message_content_in_email_notifications: boolean;
                email_notifications_batching_period_seconds: number;
                desktop_icon_count_display: number;
                enable_digest_emails: boolean;
                enable_login_emails: boolean;
                enable_marketing_emails: boolean;
                realm_name_in_email_notifications_policy: number;
                automatically_follow_topics_policy: number;
                automatically_unmute_topics_in_muted_streams_policy: number;
                automatically_follow_topics_where_mentioned: boolean;
                enable_drafts_synchronization: boolean;
                email_address_visibility: number;
                allow_private_data_export: boolean;
                hide_ai_features: boolean;
                web_channel_default_view: number;
                web_navigate_to_sent_message: boolean;
                web_animate_image_previews: string;
                web_suggest_update_timezone: boolean;
                resolved_topic_notice_auto_read_policy: string;
                web_left_sidebar_show_channel_folders: boolean;
                web_left_sidebar_unreads_count_summary: boolean;
                emojiset_choices: {
                    key: string;
                    text: string;
                  }[];
                available_notification_sounds: string[];
              };
              user_status?: {
                [key: string]: {
                  status_text?: string;
                  emoji_name?: string;
                  emoji_code?: string;
                  /** @enum {string} */
                  reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                  /** @enum {boolean} */
                  away?: true;
                };
              };
              alert_words?: string[];
              muted_users?: {
                  id: number;
                  timestamp: number;
                }[];
              custom_profile_fields?: {
                  id: number;
                  type: number;
                  name: string;
                  hint: string;
                  field_data: string;
                  order: number;
                  required: boolean;
                  editable_by_user: boolean;
                  /** @enum {boolean} */
                  display_in_profile_summary?: true;
                  use_for_user_matching: boolean;
                }[];
              custom_profile_field_types?: {
                [key: string]: {
                  id: number;
                  name: string;
                };
              };
              realm_bots?: ({
                  user_id: number;
                  email: string;
                  full_name: string;
                  bot_type: number | null;
                  is_active: boolean;
                  owner_id: number | null;
                  services: {
                      base_url: string;
                      interface: number;
                      token: string;
                    }[];
                  avatar_url: string;
                  default_sending_stream: string | null;
                  default_events_register_stream: string | null;
                  default_all_public_streams: boolean;
                })[];
              realm_embedded_bots?: {
                  name: string;
                  config: {
                    [key: string]: string;
                  };
                }[];
              realm_incoming_webhook_bots?: ({
                  name: string;
                  display_name: string;
                  all_event_types: string[] | null;
                  config_options: {
                      key: string;
                      label: string;
                      validator: string;
                    }[];
                  url_options: ({
                      key: string;
                      label: string;
                      /** @enum {string} */
                      input_type: "text" | "bool";
                    })[];
                })[];
              realm_user_groups?: ({
                  id: number;
                  name: string;
                  description: string;
                  members: number[];
                  direct_subgroup_ids: number[];
                  is_system_group: boolean;
                  deactivated: boolean;
                  creator_id: number | null;
                  date_created: number | null;
                  can_add_members_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_join_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_leave_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_manage_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_mention_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_members_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                })[];
              presences?: {
                [key: string]: OneOf<[{
                  active_timestamp: number;
                  idle_timestamp: number;
                }, {
                  aggregated: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                  };
                  website: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                    /** @enum {boolean} */
                    pushable: false;
                  };
                }]>;
              };
              presence_last_update_id?: number;
              server_timestamp?: number;
              streams?: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                })[];
              realm_default_streams?: number[];
              realm_default_stream_groups?: {
                  id: number;
                  name: string;
                  description: string;
                  streams: number[];
                }[];
              channel_folders?: ({
                  id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  is_archived: boolean;
                  order: number;
                })[];
              subscriptions?: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  color: string;
                  pin_to_top: boolean;
                  is_muted: boolean;
                  in_home_view: boolean;
                  desktop_notifications: boolean | null;
                  audible_notifications: boolean | null;
                  push_notifications: boolean | null;
                  email_notifications: boolean | null;
                  wildcard_mentions_notify: boolean | null;
                  subscribers?: number[];
                  partial_subscribers?: number[];
                })[];
              unsubscribed?: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  color: string;
                  pin_to_top: boolean;
                  is_muted: boolean;
                  in_home_view: boolean;
                  desktop_notifications: boolean | null;
                  audible_notifications: boolean | null;
                  push_notifications: boolean | null;
                  email_notifications: boolean | null;
                  wildcard_mentions_notify: boolean | null;
                  subscribers?: number[];
                  partial_subscribers?: number[];
                })[];
              never_subscribed?: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  subscribers?: number[];
                  partial_subscribers?: number[];
                })[];
              muted_topics?: [string, string, number][];
              user_topics?: {
                  stream_id: number;
                  topic_name: string;
                  last_updated: number;
                  visibility_policy: number;
                }[];
              max_message_id?: number;
              unread_msgs?: {
                count: number;
                pms: {
                    other_user_id: number;
                    sender_id: number;
                    unread_message_ids: number[];
                  }[];
                streams: {
                    stream_id: number;
                    topic: string;
                    unread_message_ids: number[];
                  }[];
                huddles: {
                    user_ids_string: string;
                    unread_message_ids: number[];
                  }[];
                mentions: number[];
                old_unreads_missing: boolean;
              };
              recent_private_conversations?: {
                  max_message_id: number;
                  user_ids: number[];
                }[];
              starred_messages?: number[];
              scheduled_messages?: ({
                  scheduled_message_id: number;
                  /** @enum {string} */
                  type: "stream" | "private";
                  topic?: string;
                  to: number | number[];
                  content: string;
                  rendered_content: string;
                  scheduled_delivery_timestamp: number;
                  failed: boolean;
                })[];
              reminders?: {
                  reminder_id: number;
                  /** @enum {string} */
                  type: "private";
                  to: number[];
                  content: string;
                  rendered_content: string;
                  scheduled_delivery_timestamp: number;
                  failed: boolean;
                  reminder_target_message_id: number;
                }[];
              drafts?: ({
                  id: number;
                  /** @enum {string} */
                  type: "" | "stream" | "private";
                  to: number[];
                  topic: string;
                  content: string;
                  timestamp: number;
                })[];
              saved_snippets?: {
                  id: number;
                  title: string;
                  content: string;
                  date_created: number;
                }[];
              navigation_views?: {
                  fragment: string;
                  is_pinned: boolean;
                  name?: string;
                }[];
              onboarding_steps?: {
                  /** @enum {string} */
                  type: "one_time_notice";
                  name: string;
                }[];
              navigation_tour_video_url?: string | null;
              devices?: {
                [key: string]: {
                  push_key_id: number | null;
                  push_token_id: string | null;
                  pending_push_token_id: string | null;
                  push_token_last_updated_timestamp: number | null;
                  push_registration_error_code: string | null;
                };
              };
              queue_id?: string | null;
              last_event_id?: number;
              idle_queue_timeout_secs?: number;
            };
          };
        };
      };
    };
  };
  "/events": {
    /** Gets events from a queue, waiting for the first one if there is none. */
    get: {
      parameters: {
        query: {
          queue_id: string;
          last_event_id?: number;
          dont_block?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              events: (({
                  id: number;
                  /** @enum {string} */
                  type: "message";
                  message: {
                    id: number;
                    sender_id: number;
                    sender_email: string;
                    sender_full_name: string;
                    sender_realm_str: string;
                    avatar_url: string | null;
                    content: string;
                    timestamp: number;
                    client: string;
                    recipient_id: number;
                    topic_links: {
                        text: string;
                        url: string;
                      }[];
                    is_me_message: boolean;
                    reactions: ({
                        emoji_name: string;
                        emoji_code: string;
                        /** @enum {string} */
                        reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                        user_id: number;
                      })[];
                    submessages: {
                        id: number;
                        message_id: number;
                        sender_id: number;
                        msg_type: string;
                        content: string;
                      }[];
                    /** @enum {string} */
                    type: "stream";
                    stream_id: number;
                    display_recipient: string;
                    subject: string;
                    /** @enum {string} */
                    content_type: "text/html";
                  };
                  flags: string[];
                  local_message_id?: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "message";
                  message: {
                    id: number;
                    sender_id: number;
                    sender_email: string;
                    sender_full_name: string;
                    sender_realm_str: string;
                    avatar_url: string | null;
                    content: string;
                    timestamp: number;
                    client: string;
                    recipient_id: number;
                    topic_links: {
                        text: string;
                        url: string;
                      }[];
                    is_me_message: boolean;
                    reactions: ({
                        emoji_name: string;
                        emoji_code: string;
                        /** @enum {string} */
                        reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                        user_id: number;
                      })[];
                    submessages: {
                        id: number;
                        message_id: number;
                        sender_id: number;
                        msg_type: string;
                        content: string;
                      }[];
                    /** @enum {string} */
                    type: "private";
                    display_recipient: {
                        id: number;
                        email: string;
                        full_name: string;
                        is_mirror_dummy: boolean;
                      }[];
                    /** @enum {string} */
                    subject: "";
                    /** @enum {string} */
                    content_type: "text/html";
                  };
                  flags: string[];
                  local_message_id?: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "message";
                  message: {
                    id: number;
                    sender_id: number;
                    sender_email: string;
                    sender_full_name: string;
                    sender_realm_str: string;
                    avatar_url: string | null;
                    content: string;
                    timestamp: number;
                    client: string;
                    recipient_id: number;
                    topic_links: {
                        text: string;
                        url: string;
                      }[];
                    is_me_message: boolean;
                    reactions: ({
                        emoji_name: string;
                        emoji_code: string;
                        /** @enum {string} */
                        reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                        user_id: number;
                      })[];
                    submessages: {
                        id: number;
                        message_id: number;
                        sender_id: number;
                        msg_type: string;
                        content: string;
                      }[];
                    /** @enum {string} */
                    type: "stream";
                    stream_id: number;
                    display_recipient: string;
                    subject: string;
                    /** @enum {string} */
                    content_type: "text/x-markdown";
                  };
                  flags: string[];
                  local_message_id?: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "message";
                  message: {
                    id: number;
                    sender_id: number;
                    sender_email: string;
                    sender_full_name: string;
                    sender_realm_str: string;
                    avatar_url: string | null;
                    content: string;
                    timestamp: number;
                    client: string;
                    recipient_id: number;
                    topic_links: {
                        text: string;
                        url: string;
                      }[];
                    is_me_message: boolean;
                    reactions: ({
                        emoji_name: string;
                        emoji_code: string;
                        /** @enum {string} */
                        reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                        user_id: number;
                      })[];
                    submessages: {
                        id: number;
                        message_id: number;
                        sender_id: number;
                        msg_type: string;
                        content: string;
                      }[];
                    /** @enum {string} */
                    type: "private";
                    display_recipient: {
                        id: number;
                        email: string;
                        full_name: string;
                        is_mirror_dummy: boolean;
                      }[];
                    /** @enum {string} */
                    subject: "";
                    /** @enum {string} */
                    content_type: "text/x-markdown";
                  };
                  flags: string[];
                  local_message_id?: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: number | null;
                  /** @enum {boolean} */
                  rendering_only: false;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  orig_content: string;
                  orig_rendered_content: string;
                  content: string;
                  rendered_content: string;
                  is_me_message: boolean;
                  stream_id?: number;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: number | null;
                  /** @enum {boolean} */
                  rendering_only: false;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  stream_id: number;
                  orig_subject: string;
                  /** @enum {string} */
                  propagate_mode: "change_one" | "change_later" | "change_all";
                  subject: string;
                  topic_links: {
                      text: string;
                      url: string;
                    }[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: number | null;
                  /** @enum {boolean} */
                  rendering_only: false;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  stream_id: number;
                  orig_subject: string;
                  /** @enum {string} */
                  propagate_mode: "change_one" | "change_later" | "change_all";
                  subject: string;
                  topic_links: {
                      text: string;
                      url: string;
                    }[];
                  orig_content: string;
                  orig_rendered_content: string;
                  content: string;
                  rendered_content: string;
                  is_me_message: boolean;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: number | null;
                  /** @enum {boolean} */
                  rendering_only: false;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  stream_id: number;
                  orig_subject: string;
                  /** @enum {string} */
                  propagate_mode: "change_one" | "change_later" | "change_all";
                  new_stream_id: number;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: number | null;
                  /** @enum {boolean} */
                  rendering_only: false;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  stream_id: number;
                  orig_subject: string;
                  /** @enum {string} */
                  propagate_mode: "change_one" | "change_later" | "change_all";
                  new_stream_id: number;
                  subject: string;
                  topic_links: {
                      text: string;
                      url: string;
                    }[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "update_message";
                  user_id: null;
                  /** @enum {boolean} */
                  rendering_only: true;
                  message_id: number;
                  message_ids: number[];
                  flags: string[];
                  edit_timestamp: number;
                  stream_id?: number;
                  content: string;
                  rendered_content: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "delete_message";
                  message_ids: number[];
                  /** @enum {string} */
                  message_type: "stream";
                  stream_id: number;
                  topic: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "delete_message";
                  message_ids: number[];
                  /** @enum {string} */
                  message_type: "private";
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "delete_message";
                  message_id: number;
                  /** @enum {string} */
                  message_type: "stream";
                  stream_id: number;
                  topic: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "delete_message";
                  message_id: number;
                  /** @enum {string} */
                  message_type: "private";
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "update_message_flags";
                  /** @enum {string} */
                  op: "add";
                  /** @enum {string} */
                  operation: "add";
                  flag: string;
                  messages: number[];
                  /** @enum {boolean} */
                  all: false;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "update_message_flags";
                  /** @enum {string} */
                  op: "add";
                  /** @enum {string} */
                  operation: "add";
                  /** @enum {string} */
                  flag: "read";
                  messages: number[];
                  /** @enum {boolean} */
                  all: true;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "update_message_flags";
                  /** @enum {string} */
                  op: "remove";
                  /** @enum {string} */
                  operation: "remove";
                  messages: number[];
                  /** @enum {boolean} */
                  all: false;
                  flag: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "update_message_flags";
                  /** @enum {string} */
                  op: "remove";
                  /** @enum {string} */
                  operation: "remove";
                  messages: number[];
                  /** @enum {boolean} */
                  all: false;
                  /** @enum {string} */
                  flag: "read";
                  message_details: {
                    [key: string]: OneOf<[{
                      mentioned?: boolean;
                      /** @enum {string} */
                      type: "stream";
                      stream_id: number;
                      topic: string;
                    }, {
                      mentioned?: boolean;
                      /** @enum {string} */
                      type: "private";
                      user_ids: number[];
                    }]>;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "reaction";
                  /** @enum {string} */
                  op: "add" | "remove";
                  message_id: number;
                  user_id: number;
                  emoji_name: string;
                  emoji_code: string;
                  /** @enum {string} */
                  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                  user: {
                    user_id: number;
                    email: string;
                    full_name: string;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "submessage";
                  msg_type: string;
                  message_id: number;
                  submessage_id: number;
                  sender_id: number;
                  content: string;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "attachment";
                  /** @enum {string} */
                  op: "add" | "update";
                  attachment: {
                    id: number;
                    name: string;
                    path_id: string;
                    size: number;
                    create_time: number;
                    messages: {
                        id: number;
                        date_sent: number;
                      }[];
                    message_ids: number[];
                  };
                  upload_space_used: number;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "attachment";
                  /** @enum {string} */
                  op: "remove";
                  attachment: {
                    id: number;
                  };
                  upload_space_used: number;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "create";
                  streams: ({
                      stream_id: number;
                      name: string;
                      description: string;
                      rendered_description: string;
                      date_created: number;
                      creator_id: number | null;
                      first_message_id: number | null;
                      folder_id: number | null;
                      invite_only: boolean;
                      is_web_public: boolean;
                      history_public_to_subscribers: boolean;
                      is_archived: boolean;
                      message_retention_days: number | null;
                      /** @enum {string} */
                      topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                      /** @enum {integer} */
                      stream_post_policy: 1 | 2 | 3 | 4;
                      is_announcement_only: boolean;
                      is_recently_active: boolean;
                      stream_weekly_traffic: number | null;
                      subscriber_count: number;
                      can_add_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_administer_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_create_topic_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_any_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_own_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_out_of_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_within_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_remove_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_resolve_topics_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_send_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_subscribe_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                    })[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "delete";
                  stream_ids: number[];
                  streams: {
                      stream_id: number;
                    }[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "name";
                  value: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "description";
                  value: string;
                  rendered_description: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "invite_only";
                  value: boolean;
                  history_public_to_subscribers: boolean;
                  is_web_public: boolean;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "message_retention_days";
                  value: number | null;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "folder_id";
                  value: number | null;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "topics_policy";
                  /** @enum {string} */
                  value: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "stream_post_policy";
                  /** @enum {integer} */
                  value: 1 | 2 | 3 | 4;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "first_message_id";
                  value: number | null;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "is_recently_active";
                  value: boolean;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "stream_weekly_traffic";
                  value: number | null;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "can_add_subscribers_group" | "can_administer_channel_group" | "can_create_topic_group" | "can_delete_any_message_group" | "can_delete_own_message_group" | "can_move_messages_out_of_channel_group" | "can_move_messages_within_channel_group" | "can_remove_subscribers_group" | "can_resolve_topics_group" | "can_send_message_group" | "can_subscribe_group";
                  value: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "stream";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  name: string;
                  /** @enum {string} */
                  property: "is_archived";
                  value: boolean;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "default_streams";
                  default_streams: number[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "default_stream_groups";
                  default_stream_groups: {
                      id: number;
                      name: string;
                      description: string;
                      streams: number[];
                    }[];
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "channel_folder";
                  /** @enum {string} */
                  op: "add";
                  channel_folder: {
                    id: number;
                    name: string;
                    description: string;
                    rendered_description: string;
                    date_created: number;
                    creator_id: number | null;
                    is_archived: boolean;
                    order: number;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "channel_folder";
                  /** @enum {string} */
                  op: "update";
                  channel_folder_id: number;
                  data: {
                    name?: string;
                    description?: string;
                    rendered_description?: string;
                    is_archived?: boolean;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "channel_folder";
                  /** @enum {string} */
                  op: "reorder";
                  order: number[];
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "add";
                  subscriptions: ({
                      stream_id: number;
                      name: string;
                      description: string;
                      rendered_description: string;
                      date_created: number;
                      creator_id: number | null;
                      first_message_id: number | null;
                      folder_id: number | null;
                      invite_only: boolean;
                      is_web_public: boolean;
                      history_public_to_subscribers: boolean;
                      is_archived: boolean;
                      message_retention_days: number | null;
                      /** @enum {string} */
                      topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                      /** @enum {integer} */
                      stream_post_policy: 1 | 2 | 3 | 4;
                      is_announcement_only: boolean;
                      is_recently_active: boolean;
                      stream_weekly_traffic: number | null;
                      subscriber_count: number;
                      can_add_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_administer_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_create_topic_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_any_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_own_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_out_of_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_within_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_remove_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_resolve_topics_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_send_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_subscribe_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      color: string;
                      pin_to_top: boolean;
                      is_muted: boolean;
                      in_home_view: boolean;
                      desktop_notifications: boolean | null;
                      audible_notifications: boolean | null;
                      push_notifications: boolean | null;
                      email_notifications: boolean | null;
                      wildcard_mentions_notify: boolean | null;
                      subscribers: number[];
                    })[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "add";
                  subscriptions: ({
                      stream_id: number;
                      name: string;
                      description: string;
                      rendered_description: string;
                      date_created: number;
                      creator_id: number | null;
                      first_message_id: number | null;
                      folder_id: number | null;
                      invite_only: boolean;
                      is_web_public: boolean;
                      history_public_to_subscribers: boolean;
                      is_archived: boolean;
                      message_retention_days: number | null;
                      /** @enum {string} */
                      topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                      /** @enum {integer} */
                      stream_post_policy: 1 | 2 | 3 | 4;
                      is_announcement_only: boolean;
                      is_recently_active: boolean;
                      stream_weekly_traffic: number | null;
                      subscriber_count: number;
                      can_add_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_administer_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_create_topic_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_any_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_delete_own_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_out_of_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_move_messages_within_channel_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_remove_subscribers_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_resolve_topics_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_send_message_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      can_subscribe_group: OneOf<[number, {
                        direct_members: number[];
                        direct_subgroups: number[];
                      }]>;
                      color: string;
                      pin_to_top: boolean;
                      is_muted: boolean;
                      in_home_view: boolean;
                      desktop_notifications: boolean | null;
                      audible_notifications: boolean | null;
                      push_notifications: boolean | null;
                      email_notifications: boolean | null;
                      wildcard_mentions_notify: boolean | null;
                    })[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "remove";
                  subscriptions: {
                      stream_id: number;
                      name: string;
                    }[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  /** @enum {string} */
                  property: "color";
                  value: string;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  /** @enum {string} */
                  property: "is_muted" | "in_home_view" | "pin_to_top";
                  value: boolean;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "update";
                  stream_id: number;
                  /** @enum {string} */
                  property: "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify";
                  value: boolean | null;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "subscription";
                  /** @enum {string} */
                  op: "peer_add" | "peer_remove";
                  stream_ids: number[];
                  user_ids: number[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "add";
                  person: {
                    user_id: number;
                    email: string;
                    delivery_email: string | null;
                    full_name: string;
                    date_joined: string;
                    is_active: boolean;
                    is_owner: boolean;
                    is_admin: boolean;
                    is_guest: boolean;
                    /** @enum {integer} */
                    role: 100 | 200 | 300 | 400 | 600;
                    is_bot: boolean;
                    bot_type: number | null;
                    bot_owner_id: number | null;
                    timezone: string;
                    avatar_url: string | null;
                    avatar_version: number;
                    is_imported_stub: boolean;
                    /** @enum {boolean} */
                    is_system_bot?: true;
                    /** @enum {boolean} */
                    is_deleted?: true;
                    profile_data?: {
                      [key: string]: {
                        value: string;
                        rendered_value?: string;
                      };
                    };
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    full_name: string;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    /** @enum {integer} */
                    role: 100 | 200 | 300 | 400 | 600;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    is_active: boolean;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    bot_owner_id: number;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    timezone: string;
                    email?: string;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    new_email: string;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    delivery_email: string | null;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    date_joined: string;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    is_imported_stub: boolean;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    custom_profile_field: {
                      id: number;
                      value: string | null;
                      rendered_value?: string;
                    };
                  };
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "update";
                  person: {
                    user_id: number;
                    avatar_url: string | null;
                    avatar_url_medium: string | null;
                    avatar_source: string;
                    avatar_version: number;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_user";
                  /** @enum {string} */
                  op: "remove";
                  person: {
                    user_id: number;
                    full_name: string;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_bot";
                  /** @enum {string} */
                  op: "add";
                  bot: {
                    user_id: number;
                    email: string;
                    full_name: string;
                    bot_type: number | null;
                    is_active: boolean;
                    owner_id: number | null;
                    services: {
                        base_url: string;
                        interface: number;
                        token: string;
                      }[];
                    avatar_url: string;
                    default_sending_stream: string | null;
                    default_events_register_stream: string | null;
                    default_all_public_streams: boolean;
                  };
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_bot";
                  /** @enum {string} */
                  op: "update";
                  bot: {
                    user_id: number;
                    email?: string;
                    full_name?: string;
                    bot_type?: number | null;
                    is_active?: boolean;
                    owner_id?: number | null;
                    services?: {
                        base_url: string;
                        interface: number;
                        token: string;
                      }[];
                    avatar_url?: string;
                    default_sending_stream?: string | null;
                    default_events_register_stream?: string | null;
                    default_all_public_streams?: boolean;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_bot";
                  /** @enum {string} */
                  op: "delete";
                  bot: {
                    user_id: number;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "user_group";
                  /** @enum {string} */
                  op: "add";
                  group: {
                    id: number;
                    name: string;
                    description: string;
                    members: number[];
                    direct_subgroup_ids: number[];
                    is_system_group: boolean;
                    deactivated: boolean;
                    creator_id: number | null;
                    date_created: number | null;
                    can_add_members_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_join_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_leave_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_manage_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_mention_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_remove_members_group: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "user_group";
                  /** @enum {string} */
                  op: "update";
                  group_id: number;
                  data: {
                    name?: string;
                    description?: string;
                    deactivated?: boolean;
                    can_add_members_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_join_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_leave_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_manage_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_mention_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                    can_remove_members_group?: OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "user_group";
                  group_id: number;
                  /** @enum {string} */
                  op: "add_members" | "remove_members";
                  user_ids: number[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "user_group";
                  group_id: number;
                  /** @enum {string} */
                  op: "add_subgroups" | "remove_subgroups";
                  direct_subgroup_ids: number[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "user_group";
                  /** @enum {string} */
                  op: "remove";
                  group_id: number;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "presence";
                  presences: {
                    [key: string]: {
                      active_timestamp: number;
                      idle_timestamp: number;
                    };
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "presence";
                  user_id: number;
                  server_timestamp: number;
                  presence: {
                    website: {
                      /** @enum {string} */
                      client: "website";
                      /** @enum {string} */
                      status: "active" | "idle";
                      timestamp: number;
                      /** @enum {boolean} */
                      pushable: false;
                    };
                  };
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "presence";
                  user_id: number;
                  server_timestamp: number;
                  presence: {
                    website: {
                      /** @enum {string} */
                      client: "website";
                      /** @enum {string} */
                      status: "active" | "idle";
                      timestamp: number;
                      /** @enum {boolean} */
                      pushable: false;
                    };
                  };
                  email: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "user_status";
                  user_id: number;
                  status_text?: string;
                  emoji_name?: string;
                  emoji_code?: string;
                  /** @enum {string} */
                  reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "";
                  away?: boolean;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "typing";
                  /** @enum {string} */
                  op: "start" | "stop";
                  sender: {
                    user_id: number;
                    email: string;
                  };
                  /** @enum {string} */
                  message_type: "direct";
                  recipients: {
                      user_id: number;
                      email: string;
                    }[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "typing";
                  /** @enum {string} */
                  op: "start" | "stop";
                  sender: {
                    user_id: number;
                    email: string;
                  };
                  /** @enum {string} */
                  message_type: "stream";
                  stream_id: number;
                  topic: string;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "typing_edit_message";
                  /** @enum {string} */
                  op: "start" | "stop";
                  sender_id: number;
                  message_id: number;
                  recipient: OneOf<[{
                    /** @enum {string} */
                    type: "channel";
                    channel_id: number;
                    topic: string;
                  }, {
                    /** @enum {string} */
                    type: "direct";
                    user_ids: number[];
                  }]>;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "drafts";
                  /** @enum {string} */
                  op: "add";
                  drafts: ({
                      id: number;
                      /** @enum {string} */
                      type: "" | "stream" | "private";
                      to: number[];
                      topic: string;
                      content: string;
                      timestamp: number;
                    })[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "drafts";
                  /** @enum {string} */
                  op: "update";
                  draft: {
                    id: number;
                    /** @enum {string} */
                    type: "" | "stream" | "private";
                    to: number[];
                    topic: string;
                    content: string;
                    timestamp: number;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "drafts";
                  /** @enum {string} */
                  op: "remove";
                  draft_id: number;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "saved_snippets";
                  /** @enum {string} */
                  op: "add" | "update";
                  saved_snippet: {
                    id: number;
                    title: string;
                    content: string;
                    date_created: number;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "saved_snippets";
                  /** @enum {string} */
                  op: "remove";
                  saved_snippet_id: number;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "scheduled_messages";
                  /** @enum {string} */
                  op: "add";
                  scheduled_messages: ({
                      scheduled_message_id: number;
                      /** @enum {string} */
                      type: "stream" | "private";
                      topic?: string;
                      to: number | number[];
                      content: string;
                      rendered_content: string;
                      scheduled_delivery_timestamp: number;
                      failed: boolean;
                    })[];
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "scheduled_messages";
                  /** @enum {string} */
                  op: "update";
                  scheduled_message: {
                    scheduled_message_id: number;
                    /** @enum {string} */
                    type: "stream" | "private";
                    topic?: string;
                    to: number | number[];
                    content: string;
                    rendered_content: string;
                    scheduled_delivery_timestamp: number;
                    failed: boolean;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "scheduled_messages";
                  /** @enum {string} */
                  op: "remove";
                  scheduled_message_id: number;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "reminders";
                  /** @enum {string} */
                  op: "add";
                  reminders: {
                      reminder_id: number;
                      /** @enum {string} */
                      type: "private";
                      to: number[];
                      content: string;
                      rendered_content: string;
                      scheduled_delivery_timestamp: number;
                      failed: boolean;
                      reminder_target_message_id: number;
                    }[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "reminders";
                  /** @enum {string} */
                  op: "remove";
                  reminder_id: number;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "navigation_view";
                  /** @enum {string} */
                  op: "add";
                  navigation_view: {
                    fragment: string;
                    is_pinned: boolean;
                    name?: string;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "navigation_view";
                  /** @enum {string} */
                  op: "update";
                  fragment: string;
                  data: {
                    name?: string;
                    is_pinned?: boolean;
                  };
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "navigation_view";
                  /** @enum {string} */
                  op: "remove";
                  fragment: string;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "user_settings";
                  /** @enum {string} */
                  op: "update";
                  /** @enum {string} */
                  property: "timezone" | "twenty_four_hour_time" | "starred_message_counts" | "display_emoji_reaction_users" | "emojiset" | "presence_enabled" | "web_inbox_show_channel_folders" | "send_private_typing_notifications" | "send_stream_typing_notifications" | "receives_typing_notifications" | "send_read_receipts" | "pm_content_in_desktop_notifications" | "enter_sends" | "web_home_view" | "web_escape_navigates_to_home_view" | "left_side_userlist" | "fluid_layout_width" | "high_contrast_mode" | "translate_emoticons" | "color_scheme" | "demote_inactive_streams" | "web_mark_read_on_scroll_policy" | "web_stream_unreads_count_display_policy" | "user_list_style" | "web_font_size_px" | "web_line_height_percent" | "notification_sound" | "wildcard_mentions_notify" | "enable_stream_desktop_notifications" | "enable_stream_email_notifications" | "enable_stream_push_notifications" | "enable_stream_audible_notifications" | "enable_followed_topic_desktop_notifications" | "enable_followed_topic_email_notifications" | "enable_followed_topic_push_notifications" | "enable_followed_topic_audible_notifications" | "enable_followed_topic_wildcard_mentions_notify" | "enable_desktop_notifications" | "enable_sounds" | "enable_offline_email_notifications" | "enable_offline_push_notifications" | "enable_online_push_notifications" | "message_content_in_email_notifications" | "email_notifications_batching_period_seconds" | "desktop_icon_count_display" | "enable_digest_emails" | "enable_login_emails" | "enable_marketing_emails" | "realm_name_in_email_notifications_policy" | "automatically_follow_topics_policy" | "automatically_unmute_topics_in_muted_streams_policy" | "automatically_follow_topics_where_mentioned" | "enable_drafts_synchronization" | "email_address_visibility" | "allow_private_data_export" | "hide_ai_features" | "web_channel_default_view" | "web_navigate_to_sent_message" | "web_animate_image_previews" | "web_suggest_update_timezone" | "resolved_topic_notice_auto_read_policy" | "web_left_sidebar_show_channel_folders" | "web_left_sidebar_unreads_count_summary";
                  value: boolean | number | string;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "user_settings";
                  /** @enum {string} */
                  op: "update";
                  /** @enum {string} */
                  property: "default_language";
                  value: string;
                  language_name?: string;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "alert_words";
                  alert_words: string[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "muted_users";
                  muted_users: {
                      id: number;
                      timestamp: number;
                    }[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "user_topic";
                  stream_id: number;
                  topic_name: string;
                  last_updated: number;
                  visibility_policy: number;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "muted_topics";
                  muted_topics: [string, string, number][];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "onboarding_steps";
                  onboarding_steps: {
                      /** @enum {string} */
                      type: "one_time_notice";
                      name: string;
                    }[];
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "device";
                  /** @enum {string} */
                  op: "add" | "remove";
                  device_id: number;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "device";
                  /** @enum {string} */
                  op: "update";
                  device_id: number;
                  push_key_id?: number | null;
                  push_token_id?: string | null;
                  pending_push_token_id?: string | null;
                  push_token_last_updated_timestamp?: number | null;
                  push_registration_error_code?: string | null;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "has_zoom_token";
                  value: boolean;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "has_webex_token";
                  value: boolean;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm";
                  /** @enum {string} */
                  op: "update";
                  property: string;
                  value: (boolean | number | string) | null;
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm";
                  /** @enum {string} */
                  op: "update_dict";
                  /** @enum {string} */
                  property: "default" | "icon" | "logo" | "night_logo";
                  data: {
                    [key: string]: OneOf<[boolean, string, OneOf<[number, {
                      direct_members: number[];
                      direct_subgroups: number[];
                    }]>, {
                      [key: string]: {
                        enabled: boolean;
                        available: boolean;
                      };
                    }]> | null;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm";
                  /** @enum {string} */
                  op: "deactivated";
                  realm_id: number;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_domains";
                  /** @enum {string} */
                  op: "add" | "change";
                  realm_domain: {
                    domain: string;
                    allow_subdomains: boolean;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_domains";
                  /** @enum {string} */
                  op: "remove";
                  domain: string;
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_emoji";
                  /** @enum {string} */
                  op: "add";
                  emoji: {
                    id: string;
                    name: string;
                    source_url: string;
                    still_url: string | null;
                    deactivated: boolean;
                    author_id: number | null;
                  };
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_emoji";
                  /** @enum {string} */
                  op: "update_one";
                  emoji_id: string;
                  data: {
                    deactivated: boolean;
                  };
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_emoji";
                  /** @enum {string} */
                  op: "update";
                  realm_emoji: {
                    [key: string]: {
                      id: string;
                      name: string;
                      source_url: string;
                      still_url: string | null;
                      deactivated: boolean;
                      author_id: number | null;
                    };
                  };
                }) | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_linkifiers";
                  realm_linkifiers: ({
                      id: number;
                      pattern: string;
                      url_template: string;
                      example_input: string | null;
                      reverse_template: string | null;
                      alternative_url_templates: string[];
                    })[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_playgrounds";
                  realm_playgrounds: {
                      id: number;
                      name: string;
                      pygments_language: string;
                      url_template: string;
                    }[];
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "custom_profile_fields";
                  fields: {
                      id: number;
                      type: number;
                      name: string;
                      hint: string;
                      field_data: string;
                      order: number;
                      required: boolean;
                      editable_by_user: boolean;
                      /** @enum {boolean} */
                      display_in_profile_summary?: true;
                      use_for_user_matching: boolean;
                    }[];
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_user_settings_defaults";
                  /** @enum {string} */
                  op: "update";
                  /** @enum {string} */
                  property: "twenty_four_hour_time" | "starred_message_counts" | "display_emoji_reaction_users" | "emojiset" | "presence_enabled" | "web_inbox_show_channel_folders" | "send_private_typing_notifications" | "send_stream_typing_notifications" | "receives_typing_notifications" | "send_read_receipts" | "pm_content_in_desktop_notifications" | "enter_sends" | "default_language" | "web_home_view" | "web_escape_navigates_to_home_view" | "left_side_userlist" | "fluid_layout_width" | "high_contrast_mode" | "translate_emoticons" | "color_scheme" | "demote_inactive_streams" | "web_mark_read_on_scroll_policy" | "web_stream_unreads_count_display_policy" | "user_list_style" | "web_font_size_px" | "web_line_height_percent" | "notification_sound" | "wildcard_mentions_notify" | "enable_stream_desktop_notifications" | "enable_stream_email_notifications" | "enable_stream_push_notifications" | "enable_stream_audible_notifications" | "enable_followed_topic_desktop_notifications" | "enable_followed_topic_email_notifications" | "enable_followed_topic_push_notifications" | "enable_followed_topic_audible_notifications" | "enable_followed_topic_wildcard_mentions_notify" | "enable_desktop_notifications" | "enable_sounds" | "enable_offline_email_notifications" | "enable_offline_push_notifications" | "enable_online_push_notifications" | "message_content_in_email_notifications" | "email_notifications_batching_period_seconds" | "desktop_icon_count_display" | "enable_digest_emails" | "enable_login_emails" | "enable_marketing_emails" | "realm_name_in_email_notifications_policy" | "automatically_follow_topics_policy" | "automatically_unmute_topics_in_muted_streams_policy" | "automatically_follow_topics_where_mentioned" | "enable_drafts_synchronization" | "email_address_visibility" | "allow_private_data_export" | "hide_ai_features" | "web_channel_default_view" | "web_navigate_to_sent_message" | "web_animate_image_previews" | "web_suggest_update_timezone" | "resolved_topic_notice_auto_read_policy" | "web_left_sidebar_show_channel_folders" | "web_left_sidebar_unreads_count_summary";
                  value: boolean | number | string;
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "invites_changed";
                } | ({
                  id: number;
                  /** @enum {string} */
                  type: "realm_export";
                  exports: ({
                      id: number;
                      acting_user_id: number;
                      export_time: number;
                      export_type: string;
                      export_url: string | null;
                      pending: boolean;
                      failed_timestamp: number | null;
                      deleted_timestamp: number | null;
                    })[];
                }) | {
                  id: number;
                  /** @enum {string} */
                  type: "realm_export_consent";
                  user_id: number;
                  consented: boolean;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "restart";
                  zulip_version: string;
                  zulip_merge_base: string;
                  zulip_feature_level: number;
                  server_generation: number;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "web_reload_client";
                  immediate: boolean;
                } | {
                  id: number;
                  /** @enum {string} */
                  type: "heartbeat";
                })[];
              queue_id: string;
            };
          };
        };
      };
    };
    /** Deletes an event queue. */
    delete: {
      requestBody: {
        content: {
          "form": {
            queue_id: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/messages": {
    /** Fetches messages around an anchor that fit a narrow, or messages by their ids. */
    get: {
      parameters: {
        query?: {
          anchor?: ("newest" | "oldest" | "first_unread" | "date") | number;
          anchor_date?: string;
          use_first_unread_anchor?: boolean;
          include_anchor?: boolean;
          num_before?: number;
          num_after?: number;
          narrow?: string;
          client_gravatar?: boolean;
          apply_markdown?: boolean;
          allow_empty_topic_name?: boolean;
          message_ids?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              anchor?: number;
              found_anchor?: boolean;
              found_oldest?: boolean;
              found_newest?: boolean;
              history_limited: boolean;
              messages: ({
                  id: number;
                  sender_id: number;
                  sender_email: string;
                  sender_full_name: string;
                  sender_realm_str: string;
                  avatar_url: string | null;
                  content: string;
                  timestamp: number;
                  client: string;
                  recipient_id: number;
                  topic_links: {
                      text: string;
                      url: string;
                    }[];
                  is_me_message: boolean;
                  reactions: ({
                      emoji_name: string;
                      emoji_code: string;
                      /** @enum {string} */
                      reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                      user_id: number;
                    })[];
                  submessages: {
                      id: number;
                      message_id: number;
                      sender_id: number;
                      msg_type: string;
                      content: string;
                    }[];
                  /** @enum {string} */
                  content_type: "text/html" | "text/x-markdown";
                  /** @enum {string} */
                  type: "stream" | "private";
                  stream_id?: number;
                  display_recipient: OneOf<[string, {
                      id: number;
                      email: string;
                      full_name: string;
                      is_mirror_dummy: boolean;
                    }[]]>;
                  subject: string;
                  flags: string[];
                  edit_history?: ({
                      user_id: number | null;
                      timestamp: number;
                      prev_content?: string;
                      prev_rendered_content?: string;
                      prev_topic?: string;
                      topic?: string;
                      prev_stream?: number;
                      stream?: number;
                    })[];
                  last_edit_timestamp?: number;
                  last_moved_timestamp?: number;
                  match_content?: string;
                  match_subject?: string;
                })[];
            };
          };
        };
      };
    };
    /** Sends a message to a channel or to people. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            type: "stream" | "channel" | "private" | "direct";
            to?: string;
            content: string;
            topic?: string;
            local_id?: string;
            queue_id?: string;
            read_by_sender?: boolean;
            widget_content?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
              /** @enum {integer} */
              automatic_new_visibility_policy?: 2 | 3;
            };
          };
        };
      };
    };
  };
  "/messages/{message_id}": {
    /** Fetches one message. */
    get: {
      parameters: {
        query?: {
          apply_markdown?: boolean;
          allow_empty_topic_name?: boolean;
        };
        path: {
          message_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              message: {
                id: number;
                sender_id: number;
                sender_email: string;
                sender_full_name: string;
                sender_realm_str: string;
                avatar_url: string | null;
                content: string;
                timestamp: number;
                client: string;
                recipient_id: number;
                topic_links: {
                    text: string;
                    url: string;
                  }[];
                is_me_message: boolean;
                reactions: ({
                    emoji_name: string;
                    emoji_code: string;
                    /** @enum {string} */
                    reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                    user_id: number;
                  })[];
                submessages: {
                    id: number;
                    message_id: number;
                    sender_id: number;
                    msg_type: string;
                    content: string;
                  }[];
                /** @enum {string} */
                content_type: "text/html" | "text/x-markdown";
                /** @enum {string} */
                type: "stream" | "private";
                stream_id?: number;
                display_recipient: OneOf<[string, {
                    id: number;
                    email: string;
                    full_name: string;
                    is_mirror_dummy: boolean;
                  }[]]>;
                subject: string;
                flags: string[];
                edit_history?: ({
                    user_id: number | null;
                    timestamp: number;
                    prev_content?: string;
                    prev_rendered_content?: string;
                    prev_topic?: string;
                    topic?: string;
                    prev_stream?: number;
                    stream?: number;
                  })[];
                last_edit_timestamp?: number;
                last_moved_timestamp?: number;
              };
              raw_content: string;
            };
          };
        };
      };
    };
    /** Deletes a message permanently. */
    delete: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a message's content, topic or channel. */
    patch: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            content?: string;
            topic?: string;
            stream_id?: number;
            /**
             * @default change_one
             * @enum {string}
             */
            propagate_mode?: "change_one" | "change_later" | "change_all";
            /** @default false */
            send_notification_to_old_thread?: boolean;
            /** @default true */
            send_notification_to_new_thread?: boolean;
            prev_content_sha256?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              detached_uploads: {
                  id: number;
                  name: string;
                  path_id: string;
                  size: number;
                  create_time: number;
                  messages: {
                      id: number;
                      date_sent: number;
                    }[];
                  message_ids: number[];
                }[];
            };
          };
        };
      };
    };
  };
  "/messages/{message_id}/history": {
    /** Fetches the versions of a message, oldest first. */
    get: {
      parameters: {
        query?: {
          allow_empty_topic_name?: boolean;
        };
        path: {
          message_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              message_history: ({
                  topic: string;
                  content: string;
                  rendered_content: string;
                  timestamp: number;
                  user_id: number | null;
                  prev_topic?: string;
                  stream?: number;
                  prev_stream?: number;
                  prev_content?: string;
                  prev_rendered_content?: string;
                  content_html_diff?: string;
                })[];
            };
          };
        };
      };
    };
  };
  "/messages/{message_id}/read_receipts": {
    /** Fetches the ids of the users who have read a message. */
    get: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              user_ids: number[];
            };
          };
        };
      };
    };
  };
  "/messages/matches_narrow": {
    /** Says which of some messages a narrow finds. */
    get: {
      parameters: {
        query: {
          msg_ids: string;
          narrow?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              messages: {
                [key: string]: {
                  match_content: string;
                  match_subject: string;
                };
              };
            };
          };
        };
      };
    };
  };
  "/messages/summary": {
    /** Summarizes the newest messages that a narrow finds, where the server has a language model. */
    get: {
      parameters: {
        query?: {
          narrow?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              summary: string;
            };
          };
        };
      };
    };
  };
  "/gifs": {
    /** Finds GIFs by words, or those that many send now, where the server has a provider of them. */
    get: {
      parameters: {
        query?: {
          query?: string;
          from?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              gifs: {
                  alt: string;
                  url: string;
                  preview_url: string;
                  width: number;
                  height: number;
                }[];
              next: string;
            };
          };
        };
      };
    };
  };
  "/messages/{message_id}/reactions": {
    /** Adds an emoji reaction to a message. */
    post: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            emoji_name: string;
            emoji_code?: string;
            /** @enum {string} */
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Removes an emoji reaction from a message. */
    delete: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            emoji_name?: string;
            emoji_code?: string;
            /** @enum {string} */
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/submessage": {
    /** Adds a part to a message's widget. */
    post: {
      requestBody: {
        content: {
          "form": {
            message_id: number;
            msg_type: string;
            content: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/messages/{message_id}/report": {
    /** Reports a message to the organization's moderation request channel. */
    post: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            report_type: "spam" | "harassment" | "inappropriate" | "norms" | "other";
            /** @default */
            description?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/typing": {
    /** Tells the people of a conversation that somebody began or stopped to write. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            op: "start" | "stop";
            /**
             * @default direct
             * @enum {string}
             */
            type?: "direct" | "private" | "stream" | "channel";
            to?: number | number[];
            stream_id?: number;
            topic?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/messages/{message_id}/typing": {
    /** Tells a message's readers that its sender began or stopped to edit it. */
    post: {
      parameters: {
        path: {
          message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            op: "start" | "stop";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/scheduled_messages": {
    /** Returns the caller's scheduled messages, soonest first. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              scheduled_messages: ({
                  scheduled_message_id: number;
                  /** @enum {string} */
                  type: "stream" | "private";
                  topic?: string;
                  to: number | number[];
                  content: string;
                  rendered_content: string;
                  scheduled_delivery_timestamp: number;
                  failed: boolean;
                })[];
            };
          };
        };
      };
    };
    /** Schedules a message. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            type: "stream" | "channel" | "private" | "direct";
            to: number | number[];
            content: string;
            topic?: string;
            scheduled_delivery_timestamp: number;
            read_by_sender?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              scheduled_message_id: number;
            };
          };
        };
      };
    };
  };
  "/scheduled_messages/{scheduled_message_id}": {
    /** Deletes a scheduled message. */
    delete: {
      parameters: {
        path: {
          scheduled_message_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a scheduled message. */
    patch: {
      parameters: {
        path: {
          scheduled_message_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            type?: "stream" | "channel" | "private" | "direct";
            to?: number | number[];
            content?: string;
            topic?: string;
            scheduled_delivery_timestamp?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/reminders": {
    /** Returns the caller's reminders, soonest first. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              reminders: {
                  reminder_id: number;
                  /** @enum {string} */
                  type: "private";
                  to: number[];
                  content: string;
                  rendered_content: string;
                  scheduled_delivery_timestamp: number;
                  failed: boolean;
                  reminder_target_message_id: number;
                }[];
            };
          };
        };
      };
    };
    /** Has the caller reminded of a message at a time. */
    post: {
      requestBody: {
        content: {
          "form": {
            message_id: number;
            scheduled_delivery_timestamp: number;
            /** @default */
            note?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              reminder_id: number;
            };
          };
        };
      };
    };
  };
  "/reminders/{reminder_id}": {
    /** Deletes a reminder. */
    delete: {
      parameters: {
        path: {
          reminder_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/messages/render": {
    /** Renders the Markdown of a message. */
    post: {
      requestBody: {
        content: {
          "form": {
            content: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              rendered: string;
            };
          };
        };
      };
    };
  };
  "/messages/flags": {
    /** Adds a personal flag to messages, or takes it off. */
    post: {
      requestBody: {
        content: {
          "form": {
            messages: number[];
            /** @enum {string} */
            op: "add" | "remove";
            /** @enum {string} */
            flag: "read" | "starred" | "collapsed";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              messages: number[];
              ignored_because_not_subscribed_channels: number[];
            };
          };
        };
      };
    };
  };
  "/messages/flags/narrow": {
    /** Adds a personal flag to the messages around an anchor that fit a narrow, or takes it off. */
    post: {
      requestBody: {
        content: {
          "form": {
            anchor?: ("newest" | "oldest" | "first_unread" | "date") | number;
            anchor_date?: string;
            /** @default true */
            include_anchor?: boolean;
            num_before: number;
            num_after: number;
            /** @default [] */
            narrow?: (OneOf<[unknown[], {
                operator: string;
                operand?: unknown;
                negated?: boolean | null;
              }]>)[];
            /** @enum {string} */
            op: "add" | "remove";
            /** @enum {string} */
            flag: "read" | "starred" | "collapsed";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              processed_count: number;
              updated_count: number;
              first_processed_id: number | null;
              last_processed_id: number | null;
              found_oldest: boolean;
              found_newest: boolean;
              ignored_because_not_subscribed_channels: number[];
            };
          };
        };
      };
    };
  };
  "/mark_all_as_read": {
    /** Marks all messages as read. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              complete: boolean;
            };
          };
        };
      };
    };
  };
  "/mark_stream_as_read": {
    /** Marks all messages of a channel as read. */
    post: {
      requestBody: {
        content: {
          "form": {
            stream_id: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/mark_topic_as_read": {
    /** Marks all messages of a topic as read. */
    post: {
      requestBody: {
        content: {
          "form": {
            stream_id: number;
            topic_name: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/channels/create": {
    /** Creates a channel with its subscribers and permissions. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            /** @default */
            description?: string;
            subscribers: number[];
            /** @default false */
            announce?: boolean;
            /** @default false */
            invite_only?: boolean;
            /** @default false */
            is_web_public?: boolean;
            /** @default false */
            is_default_stream?: boolean;
            folder_id?: number;
            /**
             * @default inherit
             * @enum {string}
             */
            topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
            history_public_to_subscribers?: boolean;
            /** @default realm_default */
            message_retention_days?: number | ("realm_default" | "unlimited");
            can_add_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_administer_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_create_topic_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_any_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_own_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_out_of_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_within_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_remove_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_resolve_topics_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_send_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_subscribe_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
  };
  "/streams": {
    /** Lists the channels that at least one of the filters includes. */
    get: {
      parameters: {
        query?: {
          include_public?: boolean;
          include_web_public?: boolean;
          include_subscribed?: boolean;
          exclude_archived?: boolean;
          include_all?: boolean;
          include_all_active?: boolean;
          include_default?: boolean;
          include_owner_subscribed?: boolean;
          include_can_access_content?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              streams: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  is_default?: boolean;
                })[];
            };
          };
        };
      };
    };
  };
  "/streams/{stream_id}": {
    /** Returns a channel that the caller may know of. */
    get: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              stream: {
                stream_id: number;
                name: string;
                description: string;
                rendered_description: string;
                date_created: number;
                creator_id: number | null;
                first_message_id: number | null;
                folder_id: number | null;
                invite_only: boolean;
                is_web_public: boolean;
                history_public_to_subscribers: boolean;
                is_archived: boolean;
                message_retention_days: number | null;
                /** @enum {string} */
                topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                /** @enum {integer} */
                stream_post_policy: 1 | 2 | 3 | 4;
                is_announcement_only: boolean;
                is_recently_active: boolean;
                stream_weekly_traffic: number | null;
                subscriber_count: number;
                can_add_subscribers_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_administer_channel_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_create_topic_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_delete_any_message_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_delete_own_message_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_move_messages_out_of_channel_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_move_messages_within_channel_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_remove_subscribers_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_resolve_topics_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_send_message_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
                can_subscribe_group: OneOf<[number, {
                  direct_members: number[];
                  direct_subgroups: number[];
                }]>;
              };
            };
          };
        };
      };
    };
    /** Archives a channel: its messages stay, nobody posts there. */
    delete: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes properties and permissions of a channel, or brings it back from the archive. */
    patch: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            description?: string;
            new_name?: string;
            is_private?: boolean;
            is_web_public?: boolean;
            history_public_to_subscribers?: boolean;
            is_default_stream?: boolean;
            message_retention_days?: number | ("realm_default" | "unlimited");
            is_archived?: boolean;
            folder_id?: number | null;
            /** @enum {string} */
            topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
            can_add_subscribers_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_administer_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_topic_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_delete_any_message_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_delete_own_message_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_move_messages_out_of_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_move_messages_within_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_remove_subscribers_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_resolve_topics_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_send_message_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_subscribe_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/get_stream_id": {
    /** Returns the id of the channel with a name. */
    get: {
      parameters: {
        query: {
          stream: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              stream_id: number;
            };
          };
        };
      };
    };
  };
  "/streams/{stream_id}/members": {
    /** Lists the active users who are subscribed to a channel. */
    get: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subscribers: number[];
            };
          };
        };
      };
    };
  };
  "/streams/{stream_id}/email_address": {
    /** Returns a channel's email address, empty on a server that receives no mail. */
    get: {
      parameters: {
        query?: {
          sender_id?: number;
        };
        path: {
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              email: string;
            };
          };
        };
      };
    };
  };
  "/users/me/{stream_id}/topics": {
    /** Lists the topics of a channel that the caller may read, newest message first. */
    get: {
      parameters: {
        query?: {
          allow_empty_topic_name?: boolean;
        };
        path: {
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              topics: {
                  name: string;
                  max_id: number;
                }[];
            };
          };
        };
      };
    };
  };
  "/streams/{stream_id}/delete_topic": {
    /** Deletes all messages of a topic, newest first; `complete` says whether none is left. */
    post: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            topic_name: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              complete: boolean;
            };
          };
        };
      };
    };
  };
  "/default_streams": {
    /** Adds a channel to those that new users are subscribed to. */
    post: {
      requestBody: {
        content: {
          "form": {
            stream_id: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Takes a channel out of those that new users are subscribed to. */
    delete: {
      requestBody: {
        content: {
          "form": {
            stream_id: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/default_stream_groups/create": {
    /** Makes a group of channels that somebody new may choose to begin with. */
    post: {
      requestBody: {
        content: {
          "form": {
            group_name: string;
            description: string;
            stream_names: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/default_stream_groups/{group_id}": {
    /** Removes a group of default channels; its channels stay. */
    delete: {
      parameters: {
        path: {
          group_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes the name or the description of a group of default channels. */
    patch: {
      parameters: {
        path: {
          group_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            new_group_name?: string;
            new_description?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/default_stream_groups/{group_id}/streams": {
    /** Adds channels to a group of default channels, or takes them out. */
    patch: {
      parameters: {
        path: {
          group_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            op: "add" | "remove";
            stream_names: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/channel_folders/create": {
    /** Creates a channel folder. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            /** @default */
            description?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              channel_folder_id: number;
            };
          };
        };
      };
    };
  };
  "/channel_folders": {
    /** Lists the channel folders in their order. */
    get: {
      parameters: {
        query?: {
          include_archived?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              channel_folders: ({
                  id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  is_archived: boolean;
                  order: number;
                })[];
            };
          };
        };
      };
    };
    /** Puts the channel folders, archived ones too, in a new order. */
    patch: {
      requestBody: {
        content: {
          "form": {
            order: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/channel_folders/{channel_folder_id}": {
    /** Renames, describes, archives or unarchives a channel folder. */
    patch: {
      parameters: {
        path: {
          channel_folder_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            name?: string;
            description?: string;
            is_archived?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/subscriptions": {
    /** Lists the channels that the caller is subscribed to. */
    get: {
      parameters: {
        query?: {
          include_subscribers?: "true" | "false" | "partial";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subscriptions: ({
                  stream_id: number;
                  name: string;
                  description: string;
                  rendered_description: string;
                  date_created: number;
                  creator_id: number | null;
                  first_message_id: number | null;
                  folder_id: number | null;
                  invite_only: boolean;
                  is_web_public: boolean;
                  history_public_to_subscribers: boolean;
                  is_archived: boolean;
                  message_retention_days: number | null;
                  /** @enum {string} */
                  topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
                  /** @enum {integer} */
                  stream_post_policy: 1 | 2 | 3 | 4;
                  is_announcement_only: boolean;
                  is_recently_active: boolean;
                  stream_weekly_traffic: number | null;
                  subscriber_count: number;
                  can_add_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_administer_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_create_topic_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_any_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_delete_own_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_out_of_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_move_messages_within_channel_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_subscribers_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_resolve_topics_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_send_message_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_subscribe_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  color: string;
                  pin_to_top: boolean;
                  is_muted: boolean;
                  in_home_view: boolean;
                  desktop_notifications: boolean | null;
                  audible_notifications: boolean | null;
                  push_notifications: boolean | null;
                  email_notifications: boolean | null;
                  wildcard_mentions_notify: boolean | null;
                  subscribers?: number[];
                  partial_subscribers?: number[];
                })[];
            };
          };
        };
      };
    };
    /** Subscribes the caller, or others, to channels; channels that do not exist are made. */
    post: {
      requestBody: {
        content: {
          "form": {
            subscriptions: {
                name: string;
                description?: string;
                color?: string;
              }[];
            principals?: number[] | string[];
            /** @default true */
            authorization_errors_fatal?: boolean;
            /** @default true */
            send_new_subscription_messages?: boolean;
            /** @default false */
            announce?: boolean;
            /** @default false */
            invite_only?: boolean;
            /** @default false */
            is_web_public?: boolean;
            /** @default false */
            is_default_stream?: boolean;
            folder_id?: number;
            /**
             * @default inherit
             * @enum {string}
             */
            topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
            history_public_to_subscribers?: boolean;
            /** @default realm_default */
            message_retention_days?: number | ("realm_default" | "unlimited");
            can_add_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_administer_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_create_topic_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_any_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_own_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_out_of_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_within_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_remove_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_resolve_topics_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_send_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_subscribe_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subscribed: {
                [key: string]: string[];
              };
              already_subscribed: {
                [key: string]: string[];
              };
              unauthorized?: string[];
              new_subscription_messages_sent?: boolean;
            };
          };
        };
      };
    };
    /** Unsubscribes the caller, or others, from channels. */
    delete: {
      requestBody: {
        content: {
          "form": {
            subscriptions: string[];
            principals?: number[] | string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              removed: string[];
              not_removed: string[];
            };
          };
        };
      };
    };
    /** Unsubscribes the caller from some channels and subscribes them to others. */
    patch: {
      requestBody: {
        content: {
          "form": {
            /** @default [] */
            delete?: string[];
            /** @default [] */
            add?: {
                name: string;
                description?: string;
                color?: string;
              }[];
            principals?: number[] | string[];
            /** @default true */
            authorization_errors_fatal?: boolean;
            /** @default true */
            send_new_subscription_messages?: boolean;
            /** @default false */
            announce?: boolean;
            /** @default false */
            invite_only?: boolean;
            /** @default false */
            is_web_public?: boolean;
            /** @default false */
            is_default_stream?: boolean;
            folder_id?: number;
            /**
             * @default inherit
             * @enum {string}
             */
            topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";
            history_public_to_subscribers?: boolean;
            /** @default realm_default */
            message_retention_days?: number | ("realm_default" | "unlimited");
            can_add_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_administer_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_create_topic_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_any_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_delete_own_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_out_of_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_move_messages_within_channel_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_remove_subscribers_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_resolve_topics_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_send_message_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_subscribe_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subscribed: {
                [key: string]: string[];
              };
              already_subscribed: {
                [key: string]: string[];
              };
              unauthorized?: string[];
              new_subscription_messages_sent?: boolean;
              removed: string[];
              not_removed: string[];
            };
          };
        };
      };
    };
  };
  "/users/{user_id}/channels": {
    /** Lists the channels that somebody is subscribed to, as far as the caller may see who is subscribed to them. */
    get: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subscribed_channel_ids: number[];
            };
          };
        };
      };
    };
  };
  "/users/{user_id}/subscriptions/{stream_id}": {
    /** Says whether a user is subscribed to a channel. */
    get: {
      parameters: {
        path: {
          user_id: number;
          stream_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              is_subscribed: boolean;
            };
          };
        };
      };
    };
  };
  "/users/me/subscriptions/properties": {
    /** Changes the caller's own settings of some of their channels. */
    post: {
      requestBody: {
        content: {
          "form": {
            subscription_data: ({
                stream_id: number;
                property: string;
                value: boolean | string;
              })[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/subscriptions/muted_topics": {
    /** Mutes or unmutes a topic; older than POST /user_topics. */
    patch: {
      requestBody: {
        content: {
          "form": {
            stream_id?: number;
            stream?: string;
            topic: string;
            /** @enum {string} */
            op: "add" | "remove";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/subscriptions/{stream_id}": {
    /** Changes one of the caller's own settings of a channel. */
    patch: {
      parameters: {
        path: {
          stream_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            property: string;
            value: boolean | string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/user_topics": {
    /** Sets whether the caller mutes, unmutes or follows a topic. */
    post: {
      requestBody: {
        content: {
          "form": {
            stream_id: number;
            topic: string;
            /** @enum {integer} */
            visibility_policy: 0 | 1 | 2 | 3;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/user_groups": {
    /** Lists the organization's user groups, the system groups among them. */
    get: {
      parameters: {
        query?: {
          include_deactivated_groups?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              user_groups: ({
                  id: number;
                  name: string;
                  description: string;
                  members: number[];
                  direct_subgroup_ids: number[];
                  is_system_group: boolean;
                  deactivated: boolean;
                  creator_id: number | null;
                  date_created: number | null;
                  can_add_members_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_join_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_leave_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_manage_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_mention_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                  can_remove_members_group: OneOf<[number, {
                    direct_members: number[];
                    direct_subgroups: number[];
                  }]>;
                })[];
            };
          };
        };
      };
    };
  };
  "/user_groups/create": {
    /** Makes a user group with its members, subgroups and permissions. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            /** @default */
            description?: string;
            /** @default [] */
            members?: number[];
            /** @default [] */
            subgroups?: number[];
            can_add_members_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_join_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_leave_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_manage_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_mention_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
            can_remove_members_group?: OneOf<[number, {
              direct_members: number[];
              direct_subgroups: number[];
            }]>;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              group_id: number;
            };
          };
        };
      };
    };
  };
  "/user_groups/{user_group_id}": {
    /** Changes a user group's name, description and permissions, or whether it is in use. */
    patch: {
      parameters: {
        path: {
          user_group_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            name?: string;
            description?: string;
            deactivated?: boolean;
            can_add_members_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_join_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_leave_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_manage_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_mention_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_remove_members_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/user_groups/{user_group_id}/deactivate": {
    /** Puts a user group out of use, unless something uses it. */
    post: {
      parameters: {
        path: {
          user_group_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/user_groups/{user_group_id}/members": {
    /** Lists the members of a user group. */
    get: {
      parameters: {
        query?: {
          direct_member_only?: boolean;
        };
        path: {
          user_group_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              members: number[];
            };
          };
        };
      };
    };
    /** Adds and removes members and subgroups of a user group. */
    post: {
      parameters: {
        path: {
          user_group_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @default [] */
            add?: number[];
            /** @default [] */
            delete?: number[];
            /** @default [] */
            add_subgroups?: number[];
            /** @default [] */
            delete_subgroups?: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/user_groups/{user_group_id}/members/{user_id}": {
    /** Says whether a user is in a user group. */
    get: {
      parameters: {
        query?: {
          direct_member_only?: boolean;
        };
        path: {
          user_group_id: number;
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              is_user_group_member: boolean;
            };
          };
        };
      };
    };
  };
  "/user_groups/{user_group_id}/subgroups": {
    /** Lists the subgroups of a user group. */
    get: {
      parameters: {
        query?: {
          direct_subgroup_only?: boolean;
        };
        path: {
          user_group_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              subgroups: number[];
            };
          };
        };
      };
    };
    /** Adds and removes subgroups of a user group. */
    post: {
      parameters: {
        path: {
          user_group_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            /** @default [] */
            add?: number[];
            /** @default [] */
            delete?: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me": {
    /** Returns the caller's own account. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              user_id: number;
              email: string;
              delivery_email: string | null;
              full_name: string;
              date_joined: string;
              is_active: boolean;
              is_owner: boolean;
              is_admin: boolean;
              is_guest: boolean;
              /** @enum {integer} */
              role: 100 | 200 | 300 | 400 | 600;
              is_bot: boolean;
              bot_type: number | null;
              bot_owner_id: number | null;
              timezone: string;
              avatar_url: string;
              avatar_version: number;
              is_imported_stub: boolean;
              /** @enum {boolean} */
              is_system_bot?: true;
              /** @enum {boolean} */
              is_deleted?: true;
              profile_data?: {
                [key: string]: {
                  value: string;
                  rendered_value?: string;
                };
              };
              max_message_id: number;
            };
          };
        };
      };
    };
    /** Deactivates the caller's own account. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users": {
    /** Lists the accounts of the organization. */
    get: {
      parameters: {
        query?: {
          client_gravatar?: boolean;
          include_custom_profile_fields?: boolean;
          user_ids?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              members: ({
                  user_id: number;
                  email: string;
                  delivery_email: string | null;
                  full_name: string;
                  date_joined: string;
                  is_active: boolean;
                  is_owner: boolean;
                  is_admin: boolean;
                  is_guest: boolean;
                  /** @enum {integer} */
                  role: 100 | 200 | 300 | 400 | 600;
                  is_bot: boolean;
                  bot_type: number | null;
                  bot_owner_id: number | null;
                  timezone: string;
                  avatar_url: string | null;
                  avatar_version: number;
                  is_imported_stub: boolean;
                  /** @enum {boolean} */
                  is_system_bot?: true;
                  /** @enum {boolean} */
                  is_deleted?: true;
                  profile_data?: {
                    [key: string]: {
                      value: string;
                      rendered_value?: string;
                    };
                  };
                })[];
            };
          };
        };
      };
    };
    /** Creates an account with an email, a password and a name. */
    post: {
      requestBody: {
        content: {
          "form": {
            email: string;
            password: string;
            full_name: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              user_id: number;
            };
          };
        };
      };
    };
  };
  "/users/{user}": {
    /** Returns one account, by its id, its real address where the caller may see it, or its placeholder address. */
    get: {
      parameters: {
        query?: {
          client_gravatar?: boolean;
          include_custom_profile_fields?: boolean;
        };
        path: {
          user: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              user: {
                user_id: number;
                email: string;
                delivery_email: string | null;
                full_name: string;
                date_joined: string;
                is_active: boolean;
                is_owner: boolean;
                is_admin: boolean;
                is_guest: boolean;
                /** @enum {integer} */
                role: 100 | 200 | 300 | 400 | 600;
                is_bot: boolean;
                bot_type: number | null;
                bot_owner_id: number | null;
                timezone: string;
                avatar_url: string | null;
                avatar_version: number;
                is_imported_stub: boolean;
                /** @enum {boolean} */
                is_system_bot?: true;
                /** @enum {boolean} */
                is_deleted?: true;
                profile_data?: {
                  [key: string]: {
                    value: string;
                    rendered_value?: string;
                  };
                };
              };
            };
          };
        };
      };
    };
    /** Deactivates an account; with delete_profile among the actions, deletes it for good. */
    delete: {
      parameters: {
        path: {
          user: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            deactivation_notification_comment?: string;
            actions?: {
              delete_profile?: boolean;
              delete_public_channel_messages?: boolean;
              delete_private_channel_messages?: boolean;
              delete_direct_messages?: boolean;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes the name, role, profile or address of an account, which its id or its address names. */
    patch: {
      parameters: {
        path: {
          user: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            full_name?: string;
            /** @enum {integer} */
            role?: 100 | 200 | 300 | 400 | 600;
            profile_data?: ({
                id: number;
                value: (string | number[]) | null;
              })[];
            new_email?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/{user_id}/reactivate": {
    /** Reactivates a deactivated account. */
    post: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/{user_id}/status": {
    /** Returns somebody's status. */
    get: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              status: {
                status_text?: string;
                emoji_name?: string;
                emoji_code?: string;
                /** @enum {string} */
                reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
                /** @enum {boolean} */
                away?: true;
              };
            };
          };
        };
      };
    };
    /** Changes somebody's status. */
    post: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            status_text?: string;
            emoji_name?: string;
            emoji_code?: string;
            /** @enum {string} */
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Removes somebody's status text and emoji. */
    delete: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/status": {
    /** Changes the caller's status text and emoji. */
    post: {
      requestBody: {
        content: {
          "form": {
            status_text?: string;
            emoji_name?: string;
            emoji_code?: string;
            /** @enum {string} */
            reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "";
            away?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Removes the caller's status text and emoji. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/alert_words": {
    /** Returns the caller's alert words. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              alert_words: string[];
            };
          };
        };
      };
    };
    /** Adds alert words. */
    post: {
      requestBody: {
        content: {
          "form": {
            alert_words: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              alert_words: string[];
            };
          };
        };
      };
    };
    /** Removes alert words. */
    delete: {
      requestBody: {
        content: {
          "form": {
            alert_words: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              alert_words: string[];
            };
          };
        };
      };
    };
  };
  "/users/me/muted_users/{muted_user_id}": {
    /** Mutes somebody. */
    post: {
      parameters: {
        path: {
          muted_user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Unmutes somebody. */
    delete: {
      parameters: {
        path: {
          muted_user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/api_key/regenerate": {
    /** Gives the caller a new API key and ends the old one. Phones that were registered for notifications get none any more. */
    post: {
      requestBody: {
        content: {
          "form": {
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
            };
          };
        };
      };
    };
  };
  "/users/me/profile_data": {
    /** Removes the caller's values of custom profile fields. */
    delete: {
      requestBody: {
        content: {
          "form": {
            data: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes the caller's values of custom profile fields. */
    patch: {
      requestBody: {
        content: {
          "form": {
            data: ({
                id: number;
                value: (string | number[]) | null;
              })[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/avatar": {
    /** Gives the caller another picture: one PNG, JPEG, GIF or WebP file of at most 5 MiB. */
    post: {
      requestBody: {
        content: {
          "form": {
            file: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              avatar_url: string;
            };
          };
        };
      };
    };
    /** Takes the caller's picture back. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": {
              avatar_url: string;
            };
          };
        };
      };
    };
  };
  "/users/{user_id}/password_link": {
    /** Sends somebody a link by which they choose a new password. */
    post: {
      parameters: {
        path: {
          user_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/settings": {
    /** Changes the caller's own settings, name, address or password; with target_users, the settings of others. */
    patch: {
      requestBody: {
        content: {
          "form": {
            twenty_four_hour_time?: boolean;
            starred_message_counts?: boolean;
            display_emoji_reaction_users?: boolean;
            /** @enum {string} */
            emojiset?: "google" | "google-blob" | "twitter" | "text";
            presence_enabled?: boolean;
            web_inbox_show_channel_folders?: boolean;
            send_private_typing_notifications?: boolean;
            send_stream_typing_notifications?: boolean;
            receives_typing_notifications?: boolean;
            send_read_receipts?: boolean;
            pm_content_in_desktop_notifications?: boolean;
            enter_sends?: boolean;
            default_language?: string;
            /** @enum {string} */
            web_home_view?: "inbox" | "recent" | "recent_topics" | "all_messages";
            web_escape_navigates_to_home_view?: boolean;
            left_side_userlist?: boolean;
            fluid_layout_width?: boolean;
            high_contrast_mode?: boolean;
            translate_emoticons?: boolean;
            /** @enum {integer} */
            color_scheme?: 1 | 2 | 3;
            /** @enum {integer} */
            demote_inactive_streams?: 1 | 2 | 3;
            /** @enum {integer} */
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            user_list_style?: 1 | 2 | 3;
            web_font_size_px?: number;
            web_line_height_percent?: number;
            /** @enum {string} */
            notification_sound?: "none" | "bell" | "chime" | "ding" | "sharp" | "slide" | "zulip";
            wildcard_mentions_notify?: boolean;
            enable_stream_desktop_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enable_stream_audible_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_desktop_notifications?: boolean;
            enable_sounds?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            message_content_in_email_notifications?: boolean;
            email_notifications_batching_period_seconds?: number;
            /** @enum {integer} */
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            enable_digest_emails?: boolean;
            enable_login_emails?: boolean;
            enable_marketing_emails?: boolean;
            /** @enum {integer} */
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            /** @enum {integer} */
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            enable_drafts_synchronization?: boolean;
            /** @enum {integer} */
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            allow_private_data_export?: boolean;
            hide_ai_features?: boolean;
            /** @enum {integer} */
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_navigate_to_sent_message?: boolean;
            /** @enum {string} */
            web_animate_image_previews?: "always" | "never" | "on_hover";
            web_suggest_update_timezone?: boolean;
            /** @enum {string} */
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
            full_name?: string;
            email?: string;
            timezone?: string;
            old_password?: string;
            new_password?: string;
            target_users?: {
              user_ids?: number[];
              group_ids?: number[];
              skip_if_already_edited?: boolean;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/settings/display": {
    /** Changes the caller's own settings, name, address or password; with target_users, the settings of others. */
    patch: {
      requestBody: {
        content: {
          "form": {
            twenty_four_hour_time?: boolean;
            starred_message_counts?: boolean;
            display_emoji_reaction_users?: boolean;
            /** @enum {string} */
            emojiset?: "google" | "google-blob" | "twitter" | "text";
            presence_enabled?: boolean;
            web_inbox_show_channel_folders?: boolean;
            send_private_typing_notifications?: boolean;
            send_stream_typing_notifications?: boolean;
            receives_typing_notifications?: boolean;
            send_read_receipts?: boolean;
            pm_content_in_desktop_notifications?: boolean;
            enter_sends?: boolean;
            default_language?: string;
            /** @enum {string} */
            web_home_view?: "inbox" | "recent" | "recent_topics" | "all_messages";
            web_escape_navigates_to_home_view?: boolean;
            left_side_userlist?: boolean;
            fluid_layout_width?: boolean;
            high_contrast_mode?: boolean;
            translate_emoticons?: boolean;
            /** @enum {integer} */
            color_scheme?: 1 | 2 | 3;
            /** @enum {integer} */
            demote_inactive_streams?: 1 | 2 | 3;
            /** @enum {integer} */
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            user_list_style?: 1 | 2 | 3;
            web_font_size_px?: number;
            web_line_height_percent?: number;
            /** @enum {string} */
            notification_sound?: "none" | "bell" | "chime" | "ding" | "sharp" | "slide" | "zulip";
            wildcard_mentions_notify?: boolean;
            enable_stream_desktop_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enable_stream_audible_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_desktop_notifications?: boolean;
            enable_sounds?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            message_content_in_email_notifications?: boolean;
            email_notifications_batching_period_seconds?: number;
            /** @enum {integer} */
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            enable_digest_emails?: boolean;
            enable_login_emails?: boolean;
            enable_marketing_emails?: boolean;
            /** @enum {integer} */
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            /** @enum {integer} */
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            enable_drafts_synchronization?: boolean;
            /** @enum {integer} */
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            allow_private_data_export?: boolean;
            hide_ai_features?: boolean;
            /** @enum {integer} */
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_navigate_to_sent_message?: boolean;
            /** @enum {string} */
            web_animate_image_previews?: "always" | "never" | "on_hover";
            web_suggest_update_timezone?: boolean;
            /** @enum {string} */
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
            full_name?: string;
            email?: string;
            timezone?: string;
            old_password?: string;
            new_password?: string;
            target_users?: {
              user_ids?: number[];
              group_ids?: number[];
              skip_if_already_edited?: boolean;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/settings/notifications": {
    /** Changes the caller's own settings, name, address or password; with target_users, the settings of others. */
    patch: {
      requestBody: {
        content: {
          "form": {
            twenty_four_hour_time?: boolean;
            starred_message_counts?: boolean;
            display_emoji_reaction_users?: boolean;
            /** @enum {string} */
            emojiset?: "google" | "google-blob" | "twitter" | "text";
            presence_enabled?: boolean;
            web_inbox_show_channel_folders?: boolean;
            send_private_typing_notifications?: boolean;
            send_stream_typing_notifications?: boolean;
            receives_typing_notifications?: boolean;
            send_read_receipts?: boolean;
            pm_content_in_desktop_notifications?: boolean;
            enter_sends?: boolean;
            default_language?: string;
            /** @enum {string} */
            web_home_view?: "inbox" | "recent" | "recent_topics" | "all_messages";
            web_escape_navigates_to_home_view?: boolean;
            left_side_userlist?: boolean;
            fluid_layout_width?: boolean;
            high_contrast_mode?: boolean;
            translate_emoticons?: boolean;
            /** @enum {integer} */
            color_scheme?: 1 | 2 | 3;
            /** @enum {integer} */
            demote_inactive_streams?: 1 | 2 | 3;
            /** @enum {integer} */
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            user_list_style?: 1 | 2 | 3;
            web_font_size_px?: number;
            web_line_height_percent?: number;
            /** @enum {string} */
            notification_sound?: "none" | "bell" | "chime" | "ding" | "sharp" | "slide" | "zulip";
            wildcard_mentions_notify?: boolean;
            enable_stream_desktop_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enable_stream_audible_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_desktop_notifications?: boolean;
            enable_sounds?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            message_content_in_email_notifications?: boolean;
            email_notifications_batching_period_seconds?: number;
            /** @enum {integer} */
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            enable_digest_emails?: boolean;
            enable_login_emails?: boolean;
            enable_marketing_emails?: boolean;
            /** @enum {integer} */
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            /** @enum {integer} */
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            enable_drafts_synchronization?: boolean;
            /** @enum {integer} */
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            allow_private_data_export?: boolean;
            hide_ai_features?: boolean;
            /** @enum {integer} */
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_navigate_to_sent_message?: boolean;
            /** @enum {string} */
            web_animate_image_previews?: "always" | "never" | "on_hover";
            web_suggest_update_timezone?: boolean;
            /** @enum {string} */
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
            full_name?: string;
            email?: string;
            timezone?: string;
            old_password?: string;
            new_password?: string;
            target_users?: {
              user_ids?: number[];
              group_ids?: number[];
              skip_if_already_edited?: boolean;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/user_settings_defaults": {
    /** Returns the settings that new accounts begin with. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              realm_user_settings_defaults: {
                twenty_four_hour_time: boolean;
                starred_message_counts: boolean;
                display_emoji_reaction_users: boolean;
                emojiset: string;
                presence_enabled: boolean;
                web_inbox_show_channel_folders: boolean;
                send_private_typing_notifications: boolean;
                send_stream_typing_notifications: boolean;
                receives_typing_notifications: boolean;
                send_read_receipts: boolean;
                pm_content_in_desktop_notifications: boolean;
                enter_sends: boolean;
                default_language: string;
                web_home_view: string;
                web_escape_navigates_to_home_view: boolean;
                left_side_userlist: boolean;
                fluid_layout_width: boolean;
                high_contrast_mode: boolean;
                translate_emoticons: boolean;
                color_scheme: number;
                demote_inactive_streams: number;
                web_mark_read_on_scroll_policy: number;
                web_stream_unreads_count_display_policy: number;
                user_list_style: number;
                web_font_size_px: number;
                web_line_height_percent: number;
                notification_sound: string;
                wildcard_mentions_notify: boolean;
                enable_stream_desktop_notifications: boolean;
                enable_stream_email_notifications: boolean;
                enable_stream_push_notifications: boolean;
                enable_stream_audible_notifications: boolean;
                enable_followed_topic_desktop_notifications: boolean;
                enable_followed_topic_email_notifications: boolean;
                enable_followed_topic_push_notifications: boolean;
                enable_followed_topic_audible_notifications: boolean;
                enable_followed_topic_wildcard_mentions_notify: boolean;
                enable_desktop_notifications: boolean;
                enable_sounds: boolean;
                enable_offline_email_notifications: boolean;
                enable_offline_push_notifications: boolean;
                enable_online_push_notifications: boolean;
                message_content_in_email_notifications: boolean;
                email_notifications_batching_period_seconds: number;
                desktop_icon_count_display: number;
                enable_digest_emails: boolean;
                enable_login_emails: boolean;
                enable_marketing_emails: boolean;
                realm_name_in_email_notifications_policy: number;
                automatically_follow_topics_policy: number;
                automatically_unmute_topics_in_muted_streams_policy: number;
                automatically_follow_topics_where_mentioned: boolean;
                enable_drafts_synchronization: boolean;
                email_address_visibility: number;
                allow_private_data_export: boolean;
                hide_ai_features: boolean;
                web_channel_default_view: number;
                web_navigate_to_sent_message: boolean;
                web_animate_image_previews: string;
                web_suggest_update_timezone: boolean;
                resolved_topic_notice_auto_read_policy: string;
                web_left_sidebar_show_channel_folders: boolean;
                web_left_sidebar_unreads_count_summary: boolean;
                emojiset_choices: {
                    key: string;
                    text: string;
                  }[];
                available_notification_sounds: string[];
              };
            };
          };
        };
      };
    };
    /** Changes the settings that new accounts begin with. */
    patch: {
      requestBody: {
        content: {
          "form": {
            twenty_four_hour_time?: boolean;
            starred_message_counts?: boolean;
            display_emoji_reaction_users?: boolean;
            /** @enum {string} */
            emojiset?: "google" | "google-blob" | "twitter" | "text";
            presence_enabled?: boolean;
            web_inbox_show_channel_folders?: boolean;
            send_private_typing_notifications?: boolean;
            send_stream_typing_notifications?: boolean;
            receives_typing_notifications?: boolean;
            send_read_receipts?: boolean;
            pm_content_in_desktop_notifications?: boolean;
            enter_sends?: boolean;
            default_language?: string;
            /** @enum {string} */
            web_home_view?: "inbox" | "recent" | "recent_topics" | "all_messages";
            web_escape_navigates_to_home_view?: boolean;
            left_side_userlist?: boolean;
            fluid_layout_width?: boolean;
            high_contrast_mode?: boolean;
            translate_emoticons?: boolean;
            /** @enum {integer} */
            color_scheme?: 1 | 2 | 3;
            /** @enum {integer} */
            demote_inactive_streams?: 1 | 2 | 3;
            /** @enum {integer} */
            web_mark_read_on_scroll_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            web_stream_unreads_count_display_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            user_list_style?: 1 | 2 | 3;
            web_font_size_px?: number;
            web_line_height_percent?: number;
            /** @enum {string} */
            notification_sound?: "none" | "bell" | "chime" | "ding" | "sharp" | "slide" | "zulip";
            wildcard_mentions_notify?: boolean;
            enable_stream_desktop_notifications?: boolean;
            enable_stream_email_notifications?: boolean;
            enable_stream_push_notifications?: boolean;
            enable_stream_audible_notifications?: boolean;
            enable_followed_topic_desktop_notifications?: boolean;
            enable_followed_topic_email_notifications?: boolean;
            enable_followed_topic_push_notifications?: boolean;
            enable_followed_topic_audible_notifications?: boolean;
            enable_followed_topic_wildcard_mentions_notify?: boolean;
            enable_desktop_notifications?: boolean;
            enable_sounds?: boolean;
            enable_offline_email_notifications?: boolean;
            enable_offline_push_notifications?: boolean;
            enable_online_push_notifications?: boolean;
            message_content_in_email_notifications?: boolean;
            email_notifications_batching_period_seconds?: number;
            /** @enum {integer} */
            desktop_icon_count_display?: 1 | 2 | 3 | 4;
            enable_digest_emails?: boolean;
            enable_login_emails?: boolean;
            enable_marketing_emails?: boolean;
            /** @enum {integer} */
            realm_name_in_email_notifications_policy?: 1 | 2 | 3;
            /** @enum {integer} */
            automatically_follow_topics_policy?: 1 | 2 | 3 | 4;
            /** @enum {integer} */
            automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4;
            automatically_follow_topics_where_mentioned?: boolean;
            enable_drafts_synchronization?: boolean;
            /** @enum {integer} */
            email_address_visibility?: 1 | 2 | 3 | 4 | 5;
            allow_private_data_export?: boolean;
            hide_ai_features?: boolean;
            /** @enum {integer} */
            web_channel_default_view?: 1 | 2 | 3 | 4;
            web_navigate_to_sent_message?: boolean;
            /** @enum {string} */
            web_animate_image_previews?: "always" | "never" | "on_hover";
            web_suggest_update_timezone?: boolean;
            /** @enum {string} */
            resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
            web_left_sidebar_show_channel_folders?: boolean;
            web_left_sidebar_unreads_count_summary?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/profile_fields": {
    /** Lists the custom profile fields. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              custom_fields: {
                  id: number;
                  type: number;
                  name: string;
                  hint: string;
                  field_data: string;
                  order: number;
                  required: boolean;
                  editable_by_user: boolean;
                  /** @enum {boolean} */
                  display_in_profile_summary?: true;
                  use_for_user_matching: boolean;
                }[];
            };
          };
        };
      };
    };
    /** Adds a custom profile field. There can be 100; the `field_data` of all may have 500,000 characters together. */
    post: {
      requestBody: {
        content: {
          "form": {
            field_type: number;
            name?: string;
            hint?: string;
            field_data?: {
              [key: string]: unknown;
            };
            display_in_profile_summary?: boolean;
            required?: boolean;
            editable_by_user?: boolean;
            use_for_user_matching?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
    /** Puts the custom profile fields into another order. */
    patch: {
      requestBody: {
        content: {
          "form": {
            order: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/profile_fields/{field_id}": {
    /** Removes a custom profile field. */
    delete: {
      parameters: {
        path: {
          field_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a custom profile field. */
    patch: {
      parameters: {
        path: {
          field_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            name?: string;
            hint?: string;
            field_data?: {
              [key: string]: unknown;
            };
            display_in_profile_summary?: boolean;
            required?: boolean;
            editable_by_user?: boolean;
            use_for_user_matching?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/bots": {
    /** Lists the caller's bots. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              bots: ({
                  username: string;
                  full_name: string;
                  api_key: string;
                  avatar_url: string;
                  default_sending_stream: string | null;
                  default_events_register_stream: string | null;
                  default_all_public_streams: boolean;
                })[];
            };
          };
        };
      };
    };
    /** Makes a bot that the caller owns. */
    post: {
      requestBody: {
        content: {
          "form": {
            full_name: string;
            short_name: string;
            /**
             * @default 1
             * @enum {integer}
             */
            bot_type?: 1 | 2 | 3;
            payload_url?: string;
            interface_type?: number;
            default_sending_stream?: string;
            default_events_register_stream?: string;
            default_all_public_streams?: boolean;
            file?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              user_id: number;
              api_key: string;
              avatar_url: string;
              default_sending_stream: string | null;
              default_events_register_stream: string | null;
              default_all_public_streams: boolean;
            };
          };
        };
      };
    };
  };
  "/bots/{bot_id}": {
    /** Deactivates a bot that the caller manages. */
    delete: {
      parameters: {
        path: {
          bot_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a bot that the caller manages. */
    patch: {
      parameters: {
        path: {
          bot_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            full_name?: string;
            /** @enum {integer} */
            role?: 100 | 200 | 300 | 400 | 600;
            bot_owner_id?: number;
            service_payload_url?: string;
            service_interface?: number;
            default_sending_stream?: string;
            default_events_register_stream?: string;
            default_all_public_streams?: boolean;
            file?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              full_name: string;
              avatar_url: string;
              default_sending_stream: string | null;
              default_events_register_stream: string | null;
              default_all_public_streams: boolean;
              bot_owner?: string;
              service_payload_url?: string;
              service_interface?: number;
            };
          };
        };
      };
    };
  };
  "/bots/{bot_id}/api_key": {
    /** Returns the API key of a bot that the caller manages, unless its role is above theirs. */
    get: {
      parameters: {
        path: {
          bot_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
            };
          };
        };
      };
    };
  };
  "/bots/{bot_id}/api_key/regenerate": {
    /** Gives a bot a new API key and ends the old one. */
    post: {
      parameters: {
        path: {
          bot_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              api_key: string;
            };
          };
        };
      };
    };
  };
  "/external/{integration}": {
    /** Answers a service that asks whether the address is meant, as Dropbox does with GET, Trello and Intercom with HEAD. */
    get: {
      parameters: {
        query?: {
          api_key?: string;
          challenge?: string;
        };
        path: {
          integration: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Posts what another service says, as the bot whose key the address carries. Services: alertmanager, appveyor, azuredevops, bitbucket2, bitbucket3, circleci, clickup, discourse, dropbox, errbit, forgejo, freshdesk, front, gitea, github, gitlab, gocd, gogs, grafana, harbor, homeassistant, ifttt, intercom, jenkins, jira, jotform, json, linear, netlify, newrelic, notion, opsgenie, pagerduty, papertrail, pingdom, rundeck, semaphore, sentry, slack_incoming, sonarqube, splunk, statuspage, stripe, teamcity, travis, trello, uptimekuma, uptimerobot, wordpress, zabbix, zapier, zendesk. */
    post: {
      parameters: {
        path: {
          integration: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            api_key?: string;
            payload?: string;
            fields?: string;
            stream?: string;
            topic?: string;
            only_events?: string[];
            exclude_events?: string[];
            branches?: string;
            /** @default false */
            ignore_private_repositories?: boolean;
            /** @default false */
            include_repository_name?: boolean;
            /** @default true */
            use_merge_request_title?: boolean;
            /** @default */
            name?: string;
            /** @default */
            desc?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              full_name?: string;
              email?: string;
              id?: number;
              ok?: boolean;
            };
          };
        };
      };
    };
  };
  "/zcommand": {
    /** Does a slash command: /ping, /dark, /light, /fluid-width or /fixed-width. `msg` says what was done. */
    post: {
      requestBody: {
        content: {
          "form": {
            command: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/onboarding_steps": {
    /** Notes that the caller has been through a step of the introduction. */
    post: {
      requestBody: {
        content: {
          "form": {
            onboarding_step: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/drafts": {
    /** Returns the caller's drafts. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              count: number;
              drafts: ({
                  id: number;
                  /** @enum {string} */
                  type: "" | "stream" | "private";
                  to: number[];
                  topic: string;
                  content: string;
                  timestamp: number;
                })[];
            };
          };
        };
      };
    };
    /** Adds drafts: all of them, or none when one is refused. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @default [] */
            drafts?: ({
                id?: number;
                /** @enum {string} */
                type: "" | "stream" | "private";
                to: number[];
                topic: string;
                content: string;
                timestamp?: number;
              })[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              ids: number[];
            };
          };
        };
      };
    };
  };
  "/drafts/{draft_id}": {
    /** Deletes one of the caller's drafts. */
    delete: {
      parameters: {
        path: {
          draft_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Replaces one of the caller's drafts. */
    patch: {
      parameters: {
        path: {
          draft_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            draft: {
              id?: number;
              /** @enum {string} */
              type: "" | "stream" | "private";
              to: number[];
              topic: string;
              content: string;
              timestamp?: number;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/saved_snippets": {
    /** Returns the caller's saved snippets. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              saved_snippets: {
                  id: number;
                  title: string;
                  content: string;
                  date_created: number;
                }[];
            };
          };
        };
      };
    };
    /** Adds a saved snippet. */
    post: {
      requestBody: {
        content: {
          "form": {
            title: string;
            content: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              saved_snippet_id: number;
            };
          };
        };
      };
    };
  };
  "/saved_snippets/{saved_snippet_id}": {
    /** Deletes a saved snippet. */
    delete: {
      parameters: {
        path: {
          saved_snippet_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes the title or content of a saved snippet. */
    patch: {
      parameters: {
        path: {
          saved_snippet_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            title?: string;
            content?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/navigation_views": {
    /** Returns the caller's navigation views. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              navigation_views: {
                  fragment: string;
                  is_pinned: boolean;
                  name?: string;
                }[];
            };
          };
        };
      };
    };
    /** Adds a navigation view, or the settings of a built-in one. */
    post: {
      requestBody: {
        content: {
          "form": {
            fragment: string;
            is_pinned: boolean;
            name?: string | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/navigation_views/{fragment}": {
    /** Removes a navigation view. */
    delete: {
      parameters: {
        path: {
          fragment: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Pins, unpins or renames a navigation view. */
    patch: {
      parameters: {
        path: {
          fragment: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            is_pinned?: boolean;
            name?: string | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/operations": {
    /** Tells the organization's owners which nodes serve it, what waits to be sent for it, and what its uploads take. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              nodes: {
                  name: string;
                  is_writer: boolean;
                  lag_ms: number;
                  queues: number;
                }[];
              outgoing: ({
                  /** @enum {string} */
                  queue: "mail" | "push" | "webhook";
                  waiting: number;
                  retried: number;
                  oldest: number | null;
                })[];
              upload_bytes: number;
            };
          };
        };
      };
    };
  };
  "/realm/operations/retry": {
    /** Has what waits for another attempt tried again now: emails, notifications or calls of outgoing webhooks. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            queue: "mail" | "push" | "webhook";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/export/realm": {
    /** Returns the organization's exports, oldest first, the newest hundred. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              exports: ({
                  id: number;
                  acting_user_id: number;
                  export_time: number;
                  export_type: string;
                  export_url: string | null;
                  pending: boolean;
                  failed_timestamp: number | null;
                  deleted_timestamp: number | null;
                })[];
            };
          };
        };
      };
    };
    /** Begins an export of the organization; at most five a week, one at a time. */
    post: {
      requestBody: {
        content: {
          "form": {
            /**
             * @default public
             * @enum {string}
             */
            export_type?: "public" | "full_with_consent" | "full_without_consent";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
  };
  "/export/realm/consents": {
    /** Says who agreed that what belongs to them may be exported. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              export_consents: {
                  user_id: number;
                  consented: boolean;
                  email_address_visibility: number;
                }[];
            };
          };
        };
      };
    };
  };
  "/export/realm/{export_id}": {
    /** Deletes a finished export. */
    delete: {
      parameters: {
        path: {
          export_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/invites/multiuse": {
    /** Makes a link by which any number of people may join. */
    post: {
      requestBody: {
        content: {
          "form": {
            invite_expires_in_minutes?: number | null;
            /**
             * @default 400
             * @enum {integer}
             */
            invite_as?: 100 | 200 | 300 | 400 | 600;
            /** @default [] */
            group_ids?: number[];
            /** @default false */
            include_realm_default_subscriptions?: boolean;
            /** @default null */
            welcome_message_custom_text?: string | null;
            /** @default [] */
            stream_ids?: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              invite_link: string;
            };
          };
        };
      };
    };
  };
  "/invites": {
    /** Lists open invitations: all for administrators, their own for others. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              invites: ({
                  id: number;
                  invited_by_user_id: number;
                  invited: number;
                  expiry_date: number | null;
                  invited_as: number;
                  notify_referrer_on_join: boolean;
                  is_multiuse: boolean;
                  link_url?: string;
                  email?: string;
                })[];
            };
          };
        };
      };
    };
    /** Invites people by their addresses. */
    post: {
      requestBody: {
        content: {
          "form": {
            invite_expires_in_minutes?: number | null;
            /**
             * @default 400
             * @enum {integer}
             */
            invite_as?: 100 | 200 | 300 | 400 | 600;
            /** @default [] */
            group_ids?: number[];
            /** @default false */
            include_realm_default_subscriptions?: boolean;
            /** @default null */
            welcome_message_custom_text?: string | null;
            invitee_emails: string;
            stream_ids: number[];
            /** @default true */
            notify_referrer_on_join?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              email_sent: boolean;
              links?: {
                  email: string;
                  invite_link: string;
                }[];
            };
          };
        };
      };
    };
  };
  "/invites/{invite_id}": {
    /** Takes back an invitation of one address. */
    delete: {
      parameters: {
        path: {
          invite_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/invites/multiuse/{invite_id}": {
    /** Takes back an invitation link. */
    delete: {
      parameters: {
        path: {
          invite_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/invites/{invite_id}/resend": {
    /** Sends an invitation again, open for as long as at first. */
    post: {
      parameters: {
        path: {
          invite_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              email_sent: boolean;
              links?: {
                  email: string;
                  invite_link: string;
                }[];
            };
          };
        };
      };
    };
  };
  "/openapi.json": {
    /** This API as an OpenAPI document. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/calls/bigbluebutton/create": {
    /** Makes a video call on BigBlueButton. */
    get: {
      parameters: {
        query: {
          meeting_name: string;
          voice_only?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/calls/zoom/create": {
    /** Makes a video call on Zoom, in the caller's account there or in the server's. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @default true */
            is_video_call?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/calls/webex/create": {
    /** Makes a video call on Webex, in the caller's account there. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/calls/nextcloud_talk/create": {
    /** Makes a video call on Nextcloud Talk. */
    post: {
      requestBody: {
        content: {
          "form": {
            room_name: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/calls/constructorgroups/create": {
    /** The caller's room for video calls on Constructor Groups. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/register_client_device": {
    /** Gives the client's device an ID. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": {
              device_id: number;
            };
          };
        };
      };
    };
  };
  "/remove_client_device": {
    /** Forgets a device and its registration for notifications. */
    post: {
      requestBody: {
        content: {
          "form": {
            device_id: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/web_push": {
    /** Says by which key the server sends notifications by Web Push, and whether it sends them to the caller. */
    get: {
      parameters: {
        query?: {
          endpoint?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              public_key: string;
              is_subscribed: boolean;
            };
          };
        };
      };
    };
    /** Has notifications sent to the caller's browser or program until its log-in or API key ends. */
    post: {
      requestBody: {
        content: {
          "form": {
            endpoint: string;
            p256dh: string;
            auth: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Has no more notifications sent to the caller's browser or program. */
    delete: {
      requestBody: {
        content: {
          "form": {
            endpoint?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/mobile_push/register": {
    /** Gives a device the key and the token for its notifications. */
    post: {
      requestBody: {
        content: {
          "form": {
            device_id: number;
            push_key_id?: number;
            push_key?: string;
            /** @enum {string} */
            token_kind?: "fcm" | "apns";
            token_id?: string;
            bouncer_public_key?: string;
            encrypted_push_registration?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/mobile_push/e2ee/test_notification": {
    /** Sends an end-to-end encrypted test notification to one of the caller's devices, or to all. */
    post: {
      requestBody: {
        content: {
          "form": {
            device_id?: number;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/mobile_push/test_notification": {
    /** Sends a test notification to one of the caller's device tokens, or to all. */
    post: {
      requestBody: {
        content: {
          "form": {
            token?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/android_gcm_reg_id": {
    /** Keeps a device token for notifications (fcm). */
    post: {
      requestBody: {
        content: {
          "form": {
            token: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Forgets a device token for notifications (fcm). */
    delete: {
      requestBody: {
        content: {
          "form": {
            token: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/apns_device_token": {
    /** Keeps a device token for notifications (apns). */
    post: {
      requestBody: {
        content: {
          "form": {
            token: string;
            appid: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Forgets a device token for notifications (apns). */
    delete: {
      requestBody: {
        content: {
          "form": {
            token: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/users/me/presence": {
    /** Reports that the caller is here and returns who else is. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @enum {string} */
            status: "active" | "idle";
            last_update_id?: number;
            /** @default 14 */
            history_limit_days?: number;
            /** @default false */
            ping_only?: boolean;
            /** @default false */
            slim_presence?: boolean;
            /** @default false */
            new_user_input?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              presence_last_update_id: number;
              server_timestamp?: number;
              presences?: {
                [key: string]: OneOf<[{
                  active_timestamp: number;
                  idle_timestamp: number;
                }, {
                  aggregated: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                  };
                  website: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                    /** @enum {boolean} */
                    pushable: false;
                  };
                }]>;
              };
            };
          };
        };
      };
    };
  };
  "/users/{user_id_or_email}/presence": {
    /** Returns one person's presence. */
    get: {
      parameters: {
        path: {
          user_id_or_email: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              presence: {
                aggregated: {
                  /** @enum {string} */
                  client: "website";
                  /** @enum {string} */
                  status: "active" | "idle";
                  timestamp: number;
                };
                website: {
                  /** @enum {string} */
                  client: "website";
                  /** @enum {string} */
                  status: "active" | "idle";
                  timestamp: number;
                  /** @enum {boolean} */
                  pushable: false;
                };
                active_timestamp: number;
                idle_timestamp: number;
              };
              server_timestamp: number;
            };
          };
        };
      };
    };
  };
  "/realm/presence": {
    /** Returns the presence of everybody in the organization. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              presences: {
                [key: string]: {
                  aggregated: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                  };
                  website: {
                    /** @enum {string} */
                    client: "website";
                    /** @enum {string} */
                    status: "active" | "idle";
                    timestamp: number;
                    /** @enum {boolean} */
                    pushable: false;
                  };
                };
              };
              server_timestamp: number;
            };
          };
        };
      };
    };
  };
  "/user_uploads": {
    /** Stores a file and answers the address to link to it by. */
    post: {
      requestBody: {
        content: {
          "form": {
            file: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
              uri: string;
              filename: string;
            };
          };
        };
      };
    };
  };
  "/user_uploads/{realm_id}/{filename}": {
    /** Answers an address of a file that works for 60 s without a login. */
    get: {
      parameters: {
        path: {
          realm_id: number;
          filename: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              url: string;
            };
          };
        };
      };
    };
  };
  "/thumbnail/status/{realm_id}/{filename}": {
    /** Says whether an uploaded file has a thumbnail. */
    get: {
      parameters: {
        path: {
          realm_id: number;
          filename: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              has_thumbnail: boolean;
            };
          };
        };
      };
    };
  };
  "/attachments": {
    /** Returns the caller's uploaded files and the messages that link to them. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              attachments: {
                  id: number;
                  name: string;
                  path_id: string;
                  size: number;
                  create_time: number;
                  messages: {
                      id: number;
                      date_sent: number;
                    }[];
                  message_ids: number[];
                }[];
              upload_space_used: number;
            };
          };
        };
      };
    };
  };
  "/attachments/facts": {
    /** Returns sizes and types of those of these files that the caller may read. */
    get: {
      parameters: {
        query: {
          path_ids: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              attachments: {
                  path_id: string;
                  size: number;
                  content_type: string;
                }[];
            };
          };
        };
      };
    };
  };
  "/attachments/{attachment_id}": {
    /** Deletes one of the caller's uploaded files. */
    delete: {
      parameters: {
        path: {
          attachment_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/bot_storage": {
    /** Returns texts that the calling bot keeps: all, or at most 1000 that are named. */
    get: {
      parameters: {
        query?: {
          keys?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              storage: {
                [key: string]: string;
              };
            };
          };
        };
      };
    };
    /** Sets texts that the calling bot keeps, at most 1000 at once. */
    put: {
      requestBody: {
        content: {
          "form": {
            storage: {
              [key: string]: string;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Removes texts that the calling bot keeps: all, or at most 1000 that are named. */
    delete: {
      requestBody: {
        content: {
          "form": {
            keys?: string[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm": {
    /** Changes the organization's settings: all that are given, or none. */
    patch: {
      requestBody: {
        content: {
          "form": {
            name?: string;
            authentication_methods?: {
              [key: string]: boolean;
            };
            description?: string;
            message_retention_days?: number | "unlimited";
            allow_message_editing?: boolean;
            message_content_edit_limit_seconds?: number | "unlimited";
            message_content_delete_limit_seconds?: number | "unlimited";
            move_messages_within_stream_limit_seconds?: number | "unlimited";
            move_messages_between_streams_limit_seconds?: number | "unlimited";
            /** @enum {string} */
            message_edit_history_visibility_policy?: "all" | "moves" | "none";
            /** @enum {string} */
            topics_policy?: "allow_empty_topic" | "disable_empty_topic";
            waiting_period_threshold?: number;
            enable_read_receipts?: boolean;
            presence_disabled?: boolean;
            moderation_request_channel_id?: number;
            new_stream_announcements_stream_id?: number;
            signup_announcements_stream_id?: number;
            zulip_update_announcements_stream_id?: number;
            /** @enum {integer} */
            video_chat_provider?: 0 | 1 | 3 | 4 | 5 | 6 | 7 | 8;
            jitsi_server_url?: string;
            /** @enum {integer} */
            gif_rating_policy?: 0 | 1 | 2 | 3 | 4;
            /** @enum {integer} */
            media_preview_size?: 100 | 150 | 200;
            /** @enum {string} */
            default_avatar_source?: "G" | "J";
            default_language?: string;
            default_code_block_language?: string;
            invite_required?: boolean;
            emails_restricted_to_domains?: boolean;
            disallow_disposable_email_addresses?: boolean;
            email_changes_disabled?: boolean;
            name_changes_disabled?: boolean;
            avatar_changes_disabled?: boolean;
            require_unique_names?: boolean;
            require_e2ee_push_notifications?: boolean;
            enable_spectator_access?: boolean;
            want_advertise_in_communities_directory?: boolean;
            inline_image_preview?: boolean;
            inline_url_embed_preview?: boolean;
            message_content_allowed_in_email_notifications?: boolean;
            send_welcome_emails?: boolean;
            send_channel_events_messages?: boolean;
            digest_emails_enabled?: boolean;
            digest_weekday?: number;
            enable_guest_user_indicator?: boolean;
            enable_guest_user_dm_warning?: boolean;
            /** @enum {integer} */
            org_type?: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 110 | 1000;
            welcome_message_custom_text?: string;
            create_multiuse_invite_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_access_all_users_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_add_custom_emoji_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_add_subscribers_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_bots_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_groups?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_private_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_public_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_web_public_channel_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_create_write_only_bots_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_delete_any_message_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_delete_own_message_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_invite_users_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_manage_all_groups?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_manage_billing_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_mention_many_users_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_move_messages_between_channels_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_move_messages_between_topics_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_resolve_topics_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_set_delete_message_policy_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_set_topics_policy_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            can_summarize_topics_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            direct_message_initiator_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            direct_message_permission_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
            workplace_users_group?: {
              new: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]>;
              old?: OneOf<[number, {
                direct_members: number[];
                direct_subgroups: number[];
              }]> | null;
            };
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/test_welcome_bot_custom_message": {
    /** Has Welcome Bot send the caller a text that newcomers are to be welcomed with. */
    post: {
      requestBody: {
        content: {
          "form": {
            welcome_message_custom_text: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              message_id: number;
            };
          };
        };
      };
    };
  };
  "/realm/deactivate": {
    /** Closes the organization: every later request is refused. */
    post: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/linkifiers": {
    /** Returns the organization's linkifiers, in the order in which they are tried. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              linkifiers: ({
                  id: number;
                  pattern: string;
                  url_template: string;
                  example_input: string | null;
                  reverse_template: string | null;
                  alternative_url_templates: string[];
                })[];
            };
          };
        };
      };
    };
    /** Puts the linkifiers into an order. */
    patch: {
      requestBody: {
        content: {
          "form": {
            ordered_linkifier_ids: number[];
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/filters": {
    /** Adds a linkifier. */
    post: {
      requestBody: {
        content: {
          "form": {
            pattern: string;
            url_template: string;
            /** @default null */
            example_input?: string | null;
            /** @default null */
            reverse_template?: string | null;
            /** @default null */
            alternative_url_templates?: string[] | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
  };
  "/realm/filters/{filter_id}": {
    /** Removes a linkifier. */
    delete: {
      parameters: {
        path: {
          filter_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes a linkifier: what is left out stays, an empty text takes it away. */
    patch: {
      parameters: {
        path: {
          filter_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            pattern: string;
            url_template: string;
            example_input?: string | null;
            reverse_template?: string | null;
            alternative_url_templates?: string[] | null;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/playgrounds": {
    /** Adds a code playground. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            pygments_language: string;
            url_template: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
  };
  "/realm/playgrounds/{playground_id}": {
    /** Removes a code playground. */
    delete: {
      parameters: {
        path: {
          playground_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/emoji": {
    /** Returns the organization's custom emoji by id, deactivated ones too. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              emoji: {
                [key: string]: {
                  id: string;
                  name: string;
                  source_url: string;
                  still_url: string | null;
                  deactivated: boolean;
                  author_id: number | null;
                };
              };
            };
          };
        };
      };
    };
  };
  "/realm/emoji/{emoji_name}": {
    /** Adds a custom emoji from a picture. */
    post: {
      parameters: {
        path: {
          emoji_name: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            file: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Deactivates a custom emoji; what was written with it keeps it. */
    delete: {
      parameters: {
        path: {
          emoji_name: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/icon": {
    /** Redirects to the organization's icon. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Gives the organization an icon: one PNG, JPEG, GIF or WebP file of at most 5 MiB. */
    post: {
      requestBody: {
        content: {
          "form": {
            file: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              icon_url: string;
            };
          };
        };
      };
    };
    /** Takes the organization's icon back. */
    delete: {
      responses: {
        200: {
          content: {
            "application/json": {
              icon_url: string;
            };
          };
        };
      };
    };
  };
  "/realm/logo": {
    /** Redirects to the organization's logo. */
    get: {
      parameters: {
        query?: {
          night?: boolean;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Gives the organization a logo: one PNG, JPEG, GIF or WebP file of at most 5 MiB. */
    post: {
      requestBody: {
        content: {
          "form": {
            /** @default false */
            night?: boolean;
            file: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Takes the organization's logo back. */
    delete: {
      requestBody: {
        content: {
          "form": {
            /** @default false */
            night?: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/audit_log": {
    /** Tells who changed what in the organization, and who logged in or was refused, in the order of the log. */
    get: {
      parameters: {
        query?: {
          anchor?: string;
          num_before?: number;
          num_after?: number;
          acting_user_id?: number;
          modified_user_id?: number;
          modified_stream_id?: number;
          modified_user_group_id?: number;
          event_types?: string;
          since?: number;
          until?: number;
          format?: "json" | "jsonl" | "csv";
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              audit_log: ({
                  num: number;
                  event_time: number;
                  event_type: string;
                  acting_user_id: number | null;
                  acting_user_role: number | null;
                  via: string;
                  session_id: number | null;
                  ip_address: string | null;
                  user_agent: string | null;
                  modified_user_ids: number[];
                  modified_stream_id: number | null;
                  modified_user_group_id: number | null;
                  before: {
                    [key: string]: unknown;
                  } | null;
                  after: {
                    [key: string]: unknown;
                  } | null;
                  hash: string;
                })[];
              found_oldest: boolean;
              found_newest: boolean;
            };
          };
        };
      };
    };
  };
  "/realm/legal_holds": {
    /** Lists the organization's legal holds, the oldest first. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              legal_holds: ({
                  id: number;
                  name: string;
                  user_id: number | null;
                  channel_id: number | null;
                  query: string | null;
                  creator_id: number;
                  date_created: number;
                })[];
            };
          };
        };
      };
    };
    /** Puts a person, a channel or what a search finds under a legal hold: deleted messages are kept aside. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            user_id?: number;
            channel_id?: number;
            query?: string;
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
            };
          };
        };
      };
    };
  };
  "/realm/legal_holds/{hold_id}": {
    /** Ends a legal hold. What was deleted, and kept for this hold alone, is gone. */
    delete: {
      parameters: {
        path: {
          hold_id: number;
        };
      };
      requestBody: {
        content: {
          "form": {
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/compliance_export": {
    /** Reads messages for a compliance export, with edits, deletions and hashes of files. It is in the audit log. */
    get: {
      parameters: {
        query?: {
          hold_id?: number;
          after?: number;
          limit?: number;
          format?: "json" | "jsonl" | "mbox";
          password?: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              messages: ({
                  id: number;
                  sender: {
                    id: number;
                    email: string | null;
                    full_name: string;
                  };
                  channel: {
                    id: number;
                    name: string;
                  } | null;
                  recipients: (({
                      id: number;
                      email: string | null;
                      full_name: string;
                    })[]) | null;
                  topic: string;
                  content: string;
                  date_sent: number;
                  edit_history: unknown[];
                  last_edit_timestamp: number | null;
                  date_deleted: number | null;
                  attachments: ({
                      path_id: string;
                      file_name: string;
                      size: number;
                      content_type: string;
                      sha256: string | null;
                    })[];
                })[];
              position: number;
              is_complete: boolean;
            };
          };
        };
      };
    };
    /** Reads messages for a compliance export, with edits, deletions and hashes of files. It is in the audit log. */
    post: {
      requestBody: {
        content: {
          "form": {
            hold_id?: number;
            /** @default 0 */
            after?: number;
            /** @default 100 */
            limit?: number;
            /**
             * @default json
             * @enum {string}
             */
            format?: "json" | "jsonl" | "mbox";
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              messages: ({
                  id: number;
                  sender: {
                    id: number;
                    email: string | null;
                    full_name: string;
                  };
                  channel: {
                    id: number;
                    name: string;
                  } | null;
                  recipients: (({
                      id: number;
                      email: string | null;
                      full_name: string;
                    })[]) | null;
                  topic: string;
                  content: string;
                  date_sent: number;
                  edit_history: unknown[];
                  last_edit_timestamp: number | null;
                  date_deleted: number | null;
                  attachments: ({
                      path_id: string;
                      file_name: string;
                      size: number;
                      content_type: string;
                      sha256: string | null;
                    })[];
                })[];
              position: number;
              is_complete: boolean;
            };
          };
        };
      };
    };
  };
  "/realm/retention": {
    /** Tells administrators for how long the organization keeps what, by kind. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              retention: {
                direct_message_days: number | null;
                earlier_text_days: number;
                unused_file_days: number;
                audit_log_days: number;
              };
            };
          };
        };
      };
    };
    /** Decides for how long the organization keeps what, by kind. What is over already goes within minutes. */
    patch: {
      requestBody: {
        content: {
          "form": {
            direct_message_days?: number | ("realm_default" | "unlimited");
            earlier_text_days?: number | "unlimited";
            unused_file_days?: number | "unlimited";
            audit_log_days?: number | "unlimited";
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              retention: {
                direct_message_days: number | null;
                earlier_text_days: number;
                unused_file_days: number;
                audit_log_days: number;
              };
            };
          };
        };
      };
    };
  };
  "/realm/scim_tokens": {
    /** Lists the tokens by which directories provision accounts (SCIM), the newest first. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              scim_tokens: ({
                  id: number;
                  name: string;
                  creator_id: number;
                  date_created: number;
                  last_used: number | null;
                  expires_at: number | null;
                })[];
            };
          };
        };
      };
    };
    /** Makes a token by which a directory provisions accounts (SCIM). It is told this once. */
    post: {
      requestBody: {
        content: {
          "form": {
            name: string;
            expires_in_days?: number;
            password?: string;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              id: number;
              token: string;
            };
          };
        };
      };
    };
  };
  "/realm/scim_tokens/{token_id}": {
    /** Ends a token by which a directory provisions accounts (SCIM), at once. */
    delete: {
      parameters: {
        path: {
          token_id: number;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
  "/realm/domains": {
    /** Returns the domains whose addresses may join. */
    get: {
      responses: {
        200: {
          content: {
            "application/json": {
              domains: {
                  domain: string;
                  allow_subdomains: boolean;
                }[];
            };
          };
        };
      };
    };
    /** Allows addresses of a domain to join. */
    post: {
      requestBody: {
        content: {
          "form": {
            domain: string;
            allow_subdomains: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": {
              new_domain: [number, string];
            };
          };
        };
      };
    };
  };
  "/realm/domains/{domain}": {
    /** Takes a domain off the list of allowed ones. */
    delete: {
      parameters: {
        path: {
          domain: string;
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
    /** Changes whether an allowed domain stands for its subdomains too. */
    patch: {
      parameters: {
        path: {
          domain: string;
        };
      };
      requestBody: {
        content: {
          "form": {
            allow_subdomains: boolean;
          };
        };
      };
      responses: {
        200: {
          content: {
            "application/json": Record<string, never>;
          };
        };
      };
    };
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    Error: {
      /** @constant */
      result: "error";
      msg: string;
      /** @enum {string} */
      code: "ACCOUNT_UPLOAD_QUOTA" | "ADMIN_ACTION_REQUIRED" | "AUTHENTICATION_FAILED" | "BAD_EVENT_QUEUE_ID" | "BAD_IMAGE" | "BAD_NARROW" | "BAD_REQUEST" | "CANNOT_DEACTIVATE_GROUP_IN_USE" | "CANNOT_DEACTIVATE_LAST_USER" | "CHANNEL_ALREADY_EXISTS" | "EXPECTATION_MISMATCH" | "FAILED_TO_CONNECT_BOUNCER" | "FILE_BEING_CHECKED" | "GIFS_UNAVAILABLE" | "INTERNAL_SERVER_ERROR" | "INTERNAL_SERVER_ERROR_ON_BOUNCER" | "INVALID_API_KEY" | "INVALID_JSON" | "INVALID_PUSH_DEVICE_TOKEN" | "INVALID_REMOTE_PUSH_DEVICE_TOKEN" | "INVALID_VIDEO_CALL_PROVIDER_TOKEN" | "INVITATION_FAILED" | "MISSING_HTTP_EVENT_HEADER" | "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED" | "NETWORK_NOT_ALLOWED" | "NONEXISTENT_SUBDOMAIN" | "NO_ACTIVE_PUSH_DEVICE" | "OWNERS_LOCKED_OUT" | "PASSWORD_AUTH_DISABLED" | "PUSH_SERVICE_NOT_CONFIGURED" | "RATE_LIMIT_HIT" | "REACTION_ALREADY_EXISTS" | "REACTION_DOES_NOT_EXIST" | "REALM_DEACTIVATED" | "REALM_UPLOAD_QUOTA" | "REAUTHENTICATION_REQUIRED" | "REQUEST_CONFUSING_VAR" | "REQUEST_VARIABLE_INVALID" | "REQUEST_VARIABLE_MISSING" | "SECOND_FACTOR_REQUIRED" | "SERVICE_UNAVAILABLE" | "STREAM_DOES_NOT_EXIST" | "STREAM_WILDCARD_MENTION_NOT_ALLOWED" | "TOPIC_WILDCARD_MENTION_NOT_ALLOWED" | "UNAUTHENTICATED_USER" | "UNAUTHORIZED" | "UNAUTHORIZED_PRINCIPAL" | "UNKNOWN_ZOOM_USER" | "UNSUPPORTED_WEBHOOK_EVENT_TYPE" | "USER_DEACTIVATED";
    };
  };
  responses: {
    Error: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    PageOrError: {
      content: {
        "application/json": components["schemas"]["Error"];
        "text/html": string;
      };
    };
    Unavailable: {
      headers: {
        "Retry-After"?: number;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export type operations = Record<string, never>;
