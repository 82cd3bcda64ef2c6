/* plugin.c -- the plugin of the Kafka stages. */
#include <leat/plugin.h>

extern const struct leat_stage sink_dead_letters, source_group, source_models, sink_kafka,
    source_kafka;

LEAT_PLUGIN("kafka", "1.0", "Apache-2.0",
            "Kafka topics as sources, sinks, models and dead letters; groups", &sink_dead_letters,
            &source_group, &source_models, &sink_kafka, &source_kafka);
