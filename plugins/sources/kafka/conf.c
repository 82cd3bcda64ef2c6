/* conf.c -- see conf.h. */
#include "conf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool conf_set(rd_kafka_conf_t *conf, const char *key, const char *value, char *why, size_t cap)
{
    char text[400];
    if (rd_kafka_conf_set(conf, key, value, text, sizeof text) == RD_KAFKA_CONF_OK) return true;
    snprintf(why, cap, "%s=%s: %s", key, value, text);
    return false;
}

static bool set_property(rd_kafka_conf_t *conf, const char *property, const char *const *ours,
                         char *why, size_t cap)
{
    char key[128];
    const char *eq = strchr(property, '=');
    if (!eq || eq == property || (size_t)(eq - property) >= sizeof key) {
        snprintf(why, cap, "'%s' is not of the form name=value", property);
        return false;
    }
    memcpy(key, property, (size_t)(eq - property));
    key[eq - property] = 0;
    for (int i = 0; ours[i]; i++)
        if (!strcmp(key, ours[i])) {
            snprintf(why, cap, "%s is set by this stage", key);
            return false;
        }
    return conf_set(conf, key, eq + 1, why, cap);
}

bool conf_properties(rd_kafka_conf_t *conf, const struct leat_strings *properties,
                     const char *const *ours, char *why, size_t cap)
{
    bool good = true;
    for (uint32_t i = 0; good && i < properties->n; i++)
        good = set_property(conf, properties->v[i], ours, why, cap);
    return good;
}
