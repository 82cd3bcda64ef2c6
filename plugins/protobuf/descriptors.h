/* descriptors.h -- a type of messages with what libprotobuf needs to read one. For C++. */
#ifndef LEAT_PROTOBUF_DESCRIPTORS_H
#define LEAT_PROTOBUF_DESCRIPTORS_H

#include <map>
#include <memory>
#include <utility>

#include <google/protobuf/dynamic_message.h>

#include "message.h"

struct protobuf_type {
    const google::protobuf::Descriptor *type;
    std::unique_ptr<google::protobuf::Message> message;
    /* Fields by the step of a path that names them, and the type in which they are. */
    std::map<std::pair<const google::protobuf::Descriptor *, const json_step *>,
             const google::protobuf::FieldDescriptor *>
        field;
};

#endif
